#include "scopes/wrappers/record_processes.h"

#include <algorithm>

namespace eventspace {

void RecordProcesses::learn(const View& view) {
  reports_.clear();
  for (const ProcessReport& report : view.processes) reports_.emplace_back(report.process, &report);
  std::sort(reports_.begin(), reports_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second->clock.ticks) < std::pair(b.first, b.second->clock.ticks);
  });
  last_.reset();
}

bool RecordProcesses::has_one_run_each() const noexcept {
  return std::adjacent_find(reports_.begin(), reports_.end(), [](const auto& a, const auto& b) {
           return a.first == b.first;
         }) == reports_.end();
}

const ProcessReport* RecordProcesses::of(const RecordHeader& record) {
  const Collector collector{record.path, record.point};
  if (last_ != collector) {
    last_reports_ = find(collector);
    last_ = collector;
  }
  const auto& [first, end] = last_reports_;
  if (first == end) return nullptr;
  auto run = std::prev(end);
  while (run != first && run->second->clock.ticks > record.start) --run;
  return run->second;
}

std::pair<RecordProcesses::Reports::const_iterator, RecordProcesses::Reports::const_iterator>
RecordProcesses::find(const Collector& of) const {
  const auto source = names_->source_of(of.path, of.point);
  if (!source) return {reports_.end(), reports_.end()};
  const auto first =
      std::lower_bound(reports_.begin(), reports_.end(), source->process,
                       [](const auto& entry, std::uint32_t number) { return entry.first < number; });
  const auto end =
      std::find_if(first, reports_.end(), [&](const auto& entry) { return entry.first != source->process; });
  return {first, end};
}

}  // namespace eventspace
