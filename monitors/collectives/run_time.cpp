#include "monitors/collectives/run_time.h"

#include <algorithm>

#include "tuplespace/system/saturating.h"

namespace eventspace {

void RunTime::see_event(const ProcessReport& process, std::uint64_t ticks) {
  const auto [found, is_new] = spans_.try_emplace(process.process, Span{ticks, ticks});
  if (!is_new) extend(found->second, process, ticks);
}

// If a trace element has more events than one view takes, the view is complete only up to some time before.
void RunTime::see_process(const ProcessReport& process) {
  const auto found = spans_.find(process.process);
  if (found == spans_.end() || !may_live(process.state)) return;
  extend(found->second, process,
         std::max(found->second.first, std::min(process.now_ticks, process.complete_ticks)));
}

void RunTime::extend(Span& span, const ProcessReport& process, std::uint64_t ticks) {
  if (ticks >= span.first && ticks <= span.last) return;
  span.first = std::min(span.first, ticks);
  span.last = std::max(span.last, ticks);
  const std::chrono::nanoseconds time(saturating::round(process.clock.ns_between(span.first, span.last)));
  longest_ = std::max(longest_, time);
}

void RunTime::begin_anew() {
  earlier_ += longest_;
  longest_ = std::chrono::nanoseconds(0);
  spans_.clear();
}

}  // namespace eventspace
