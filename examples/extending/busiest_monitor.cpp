#include "examples/extending/busiest_monitor.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string_view>

namespace example {

using namespace eventspace;

std::optional<std::string> busiest_thread(Scope& scope) {
  const Events events = scope.pull(Deadline::after(std::chrono::seconds(1)));
  std::map<std::string_view, std::size_t> of_thread;
  for (const Event& event : events) ++of_thread[event.thread()];
  const auto busiest = std::max_element(of_thread.begin(), of_thread.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  if (busiest == of_thread.end()) return std::nullopt;
  return std::string(busiest->first);
}

}  // namespace example
