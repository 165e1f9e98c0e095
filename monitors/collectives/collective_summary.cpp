#include "monitors/collectives/collective_summary.h"

#include <algorithm>
#include <functional>

#include "monitors/collectives/collective_text.h"

namespace eventspace {

void CollectiveSummary::Late::add(const Late& other) noexcept {
  last += other.last;
  perhaps_last += other.perhaps_last;
  cost.add(other.cost);
}

CollectiveSummary::Row& CollectiveSummary::row_of(const CollectiveShape& shape, const CollectiveCall& call) {
  std::pair key(shape.name, call.is_empty() ? CollectiveCall{shape.operation, ""} : call);
  if (rows_.size() >= max_rows && !rows_.contains(key)) key.second = {};
  const auto [found, is_new] = rows_.try_emplace(std::move(key));
  if (is_new) {
    found->second.collective = found->first.first;
    found->second.call = found->first.second;
  }
  return found->second;
}

CollectiveSummary::Late& CollectiveSummary::late_of(Row& row, const std::string& name) {
  if (const auto known = row.late.find(name); known != row.late.end()) return known->second;
  if (late_ >= max_late) return row.unlisted;
  ++late_;
  return row.late[name];
}

void CollectiveSummary::add(const CollectiveShape& shape, const CollectiveCall& call,
                            const OperationReport& report) {
  Row& row = row_of(shape, call);
  if (report.state == OperationState::open || report.state == OperationState::broken) {
    ++(report.state == OperationState::open ? row.open : row.broken);
    return;
  }
  ++row.operations;
  row.incomplete += report.state == OperationState::incomplete ? 1 : 0;
  const Difference waiting = waiting_of(report);
  row.waiting.add(waiting);
  if (const auto last = report.last.name()) {
    Late& late = late_of(row, shape.edges[*last].name);
    ++late.last;
    late.cost.add(waiting);
    return;
  }
  ++row.uncertain;
  row.uncertain_waiting.add(waiting);
  for (const std::size_t edge : report.last.candidates) ++late_of(row, shape.edges[edge].name).perhaps_last;
}

std::vector<const CollectiveSummary::Row*> CollectiveSummary::rows() const {
  std::vector<const Row*> all;
  all.reserve(rows_.size());
  for (const auto& entry : rows_) all.push_back(&entry.second);
  std::ranges::stable_sort(all, std::greater(), [](const Row* row) { return row->waiting.ns; });
  return all;
}

CollectiveSummary::Row CollectiveSummary::total() const {
  Row total;
  for (const auto& [key, row] : rows_) {
    total.operations += row.operations;
    total.incomplete += row.incomplete;
    total.uncertain += row.uncertain;
    total.broken += row.broken;
    total.open += row.open;
    total.waiting.add(row.waiting);
    total.uncertain_waiting.add(row.uncertain_waiting);
    for (const auto& [name, late] : row.late) total.late[name].add(late);
    total.unlisted.add(row.unlisted);
  }
  return total;
}

}  // namespace eventspace
