#include "scopes/tree/view_news.h"

#include <algorithm>

namespace eventspace {
namespace {

bool has_data(const View& view) {
  return view.record_count() > 0 || !view.aggregates.empty() || !view.collective_parts.empty() ||
         !view.collective_sums.empty() || !view.parcels.empty() || !view.names.empty();
}

bool has_lost(const Loss& loss) {
  return loss.discarded > 0 || loss.torn > 0 || loss.failed > 0 || loss.emptied > 0;
}

}  // namespace

ViewNews::Told ViewNews::told_by(const ProcessReport& report) {
  return {report.start_ticks, report.state, report.collecting, report.in_flight};
}

bool ViewNews::is_new(const ProcessReport& report) const {
  if (report.usage) return true;  // it changes all the time
  const auto known = processes_.find({report.process, report.pid});
  return known == processes_.end() || known->second != told_by(report);
}

bool ViewNews::is_in(const View& view) const {
  return has_data(view) || has_lost(view.loss) || view.missing != missing_ ||
         std::ranges::any_of(view.processes, [this](const ProcessReport& each) { return is_new(each); });
}

void ViewNews::note(const View& view) {
  if (processes_.size() + view.processes.size() > max_processes) processes_.clear();
  for (const ProcessReport& report : view.processes)
    processes_.insert_or_assign({report.process, report.pid}, told_by(report));
  missing_ = view.missing;
}

void ViewNews::forget() {
  processes_.clear();
  missing_.clear();
}

}  // namespace eventspace
