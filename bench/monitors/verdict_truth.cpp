#include "bench/monitors/verdict_truth.h"

#include <algorithm>

#include "collectors/clock.h"
#include "collectors/event_record.h"
#include "monitors/moments/moment.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::bench {
namespace {

const ProcessReport* report_on(std::size_t process, const std::vector<ProcessReport>& processes) {
  const auto found = std::ranges::find(processes, process, &ProcessReport::process);
  return found == processes.end() ? nullptr : &*found;
}

}  // namespace

void VerdictTruth::learn(const View& view) {
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    if (!record.in_flight()) starts_[record.parameter][record.thread] = record.start;
  }
}

std::optional<VerdictTruth::Last> VerdictTruth::last(std::uint64_t number,
                                                     const std::vector<ProcessReport>& processes) const {
  const auto known = starts_.find(number);
  if (known == starts_.end() || known->second.size() != plan_->thread_count()) return std::nullopt;
  const auto latest =
      std::ranges::max_element(known->second, {}, [](const auto& start) { return start.second; });
  std::map<std::size_t, Moment> moments;
  for (const auto& [thread, ticks] : known->second) {
    const ProcessIndex of(number_of_process(*plan_, plan_->threads[ThreadIndex(thread)].host()));
    const ProcessReport* const process = report_on(of.number(), processes);
    if (process == nullptr) return std::nullopt;
    moments[thread] = Moment::of(ticks, *process, plan_->processes[of].node.number32());
  }
  std::optional<Last> last;
  for (const auto& [thread, ticks] : known->second) {
    if (thread == latest->first) continue;
    const double lead = Clock::instance().calibration().ns_between(ticks, latest->second);
    const auto error = static_cast<double>(between(moments[thread], moments[latest->first]).error_ns);
    if (!last || lead - error < last->lead_ns - last->error_ns) last = Last{latest->first, lead, error};
  }
  return last;
}

}  // namespace eventspace::bench
