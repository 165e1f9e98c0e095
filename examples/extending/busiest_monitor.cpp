#include "examples/extending/busiest_monitor.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "collectors/event_record.h"

namespace example {

using namespace eventspace;

std::optional<std::string> busiest_thread(Consumer& consumer, const std::string& scope) {
  EventScope opened = consumer.open(scope);
  const View view = opened.pull({Deadline::after(std::chrono::seconds(1)), false});
  std::map<std::uint32_t, std::size_t> events;
  for (const TraceTuple& tuple : view.records) ++events[decode(tuple).thread];
  const auto busiest = std::max_element(events.begin(), events.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  if (busiest == events.end()) return std::nullopt;
  return std::string(consumer.names().thread_name(busiest->first));
}

}  // namespace example
