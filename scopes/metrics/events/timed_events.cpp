#include "scopes/metrics/events/timed_events.h"

#include <algorithm>
#include <map>

namespace eventspace::metrics {

void EndTimes::use(const ProcessReport& process) noexcept {
  constexpr std::uint64_t apart = std::uint64_t{1} << 32;
  process_ = &process;
  now_ticks_ = process.now_ticks;
  base_ns_ = process.here(process.now_ticks).ns;
  ns_per_tick_ =
      static_cast<double>(process.here(process.now_ticks + apart).ns - base_ns_) / static_cast<double>(apart);
}

/// Views have the events of a thread in their order, so a process with one thread needs no sorting.
void sort_by_ends(std::vector<TimedEvents::Event>& events) {
  std::map<const ProcessReport*, std::int64_t> last_of;
  const ProcessReport* process = nullptr;
  std::int64_t* last_ns = nullptr;
  bool is_in_order = true;
  for (const TimedEvents::Event& event : events) {
    if (event.process != process) {
      process = event.process;
      last_ns = &last_of.try_emplace(process, event.end_ns).first->second;
    }
    is_in_order = is_in_order && event.end_ns >= *last_ns;
    *last_ns = event.end_ns;
  }
  if (!is_in_order) std::ranges::stable_sort(events, {}, &TimedEvents::Event::end_ns);
}

}  // namespace eventspace::metrics
