#include "monitors/collectives/collective_analysis.h"

#include <algorithm>
#include <utility>

namespace eventspace {
namespace {

std::size_t end_of_edge(std::size_t edge, EdgeEnd at) noexcept {
  return 2 * edge + static_cast<std::size_t>(at);
}

}  // namespace

CollectiveAnalysis::CollectiveAnalysis(const CollectiveShape& shape, Config config)
    : shape_(&shape), config_(config), latest_(2 * shape.edges.size()) {}

template <class What>
void CollectiveAnalysis::place(const What& what) {
  if (what.operation == 0 || is_reported(what.operation)) {
    ++counts_.ignored;
    return;
  }
  newest_ = std::max(newest_, what.operation);
  const auto found =
      open_.try_emplace(what.operation, Open{CollectiveOperation(*shape_, what.operation)}).first;
  if (!found->second.operation.add(what)) ++counts_.ignored;
}

void CollectiveAnalysis::add(const EdgeRecord& record) {
  if (!record.end) {
    under_way_.push_back(record);
    return;
  }
  std::uint64_t& latest = latest_[end_of_edge(record.edge, record.at)];
  latest = std::max(latest, record.operation);
  place(record);
}

void CollectiveAnalysis::add(const ProcessPart& part) {
  for (const std::size_t edge : shape_->within[part.within].edges) {
    for (const EdgeEnd at : {EdgeEnd::lower, EdgeEnd::upper}) {
      std::uint64_t& latest = latest_[end_of_edge(edge, at)];
      latest = std::max(latest, part.operation);
    }
  }
  place(part);
}

// Runs when all ended records of the view are placed, because latest_ yields the numbers of those under way.
// An operation stays under way over many views, so its repeated record is not counted as ignored.
void CollectiveAnalysis::place_under_way() {
  for (EdgeRecord& record : std::exchange(under_way_, {})) {
    if (record.operation == 0) record.operation = latest_[end_of_edge(record.edge, record.at)] + 1;
    const auto found = open_.find(record.operation);
    const bool known =
        found != open_.end() && (found->second.operation.find(record.edge, record.at) != nullptr ||
                                 found->second.operation.is_in_part(record.edge));
    if (!known && !is_reported(record.operation)) place(record);
  }
}

bool CollectiveAnalysis::is_reported(std::uint64_t number) const {
  return number < all_below_ || reported_.contains(number);
}

bool CollectiveAnalysis::is_hopeless(const CollectiveOperation& operation) const {
  const auto can_come = [&](std::size_t edge, EdgeEnd at) {
    const EdgeRecord* const record = operation.find(edge, at);
    return (record == nullptr || !record->end) && latest_[end_of_edge(edge, at)] <= operation.number();
  };
  for (std::size_t edge = 0; edge < shape_->edges.size(); ++edge) {
    if (operation.is_in_part(edge)) continue;
    if (shape_->edges[edge].at_thread && can_come(edge, EdgeEnd::lower)) return false;
    if (shape_->edges[edge].at_joint && can_come(edge, EdgeEnd::upper)) return false;
  }
  return true;
}

void CollectiveAnalysis::note_end(Open& open, Time at) const {
  const bool has_ended = open.operation.has_ended() || is_over(open.operation.number());
  if (has_ended && !open.ended_at) open.ended_at = at;
}

bool CollectiveAnalysis::is_late(const Open& open, Time at) const {
  return open.ended_at && at - *open.ended_at >= config_.late_after;
}

std::vector<OperationReport> CollectiveAnalysis::settle(Time at) {
  place_under_way();
  // An operation under way does not prove that earlier ones have ended: their records may come with the next
  // view.
  const bool has_ended_one = std::ranges::any_of(latest_, [](std::uint64_t number) { return number != 0; });
  if (!begun_ && !open_.empty() && has_ended_one) {
    begun_ = true;
    all_below_ = open_.begin()->first;  // earlier operations are not unseen: the monitor started after them
  }
  std::vector<OperationReport> reports;
  for (auto next = open_.begin(); next != open_.end();) {
    const auto which = next++;
    Open& open = which->second;
    note_end(open, at);
    const bool is_complete = open.operation.missing() == 0;
    if (!is_complete && (open.operation.has_failed() || is_hopeless(open.operation))) ++open.hopeless;
    const bool is_done = is_complete || open.hopeless > config_.patience || is_late(open, at);
    if (!is_done && !is_one_too_many(which->first)) continue;
    if (!is_done) ++counts_.given_up;
    report(which, reports);
  }
  forget_reported();
  return reports;
}

void CollectiveAnalysis::report(std::map<std::uint64_t, Open>::iterator which,
                                std::vector<OperationReport>& reports) {
  const CollectiveOperation& operation = which->second.operation;
  reports.push_back(report_on(*shape_, operation, is_over(operation.number())));
  ++counts_.reported;
  reported_.insert(operation.number());
  open_.erase(which);
}

// Bounds both containers. An operation that stays open below reported ones keeps forget_reported() from
// forgetting them, so it is given up when reported_ grows too large.
bool CollectiveAnalysis::is_one_too_many(std::uint64_t oldest) const noexcept {
  return open_.size() > config_.max_open ||
         (reported_.size() > config_.max_open && oldest < *reported_.begin());
}

// Forgets reported numbers without a gap below them, because all_below_ covers them. When too many are left,
// it also forgets the oldest and counts the gap below as unseen.
void CollectiveAnalysis::forget_reported() {
  while (!reported_.empty()) {
    const std::uint64_t oldest = *reported_.begin();
    const bool has_gap = oldest > all_below_;
    const bool is_one_open_below = !open_.empty() && open_.begin()->first < oldest;
    if (has_gap && (is_one_open_below || reported_.size() <= config_.max_open)) return;
    counts_.unseen += oldest - all_below_;
    all_below_ = oldest + 1;
    reported_.erase(reported_.begin());
  }
}

CollectiveAnalysis::Counts CollectiveAnalysis::counts() const noexcept {
  Counts counts = counts_;
  if (begun_ && newest_ >= all_below_)
    counts.unseen += newest_ - all_below_ + 1 - reported_.size() - open_.size();
  return counts;
}

std::vector<OperationReport> CollectiveAnalysis::open() const {
  std::vector<OperationReport> reports;
  for (const auto& [number, open] : open_)
    reports.push_back(report_on(*shape_, open.operation, is_over(number)));
  return reports;
}

void CollectiveAnalysis::begin_anew() {
  open_.clear();
  under_way_.clear();
  std::fill(latest_.begin(), latest_.end(), 0);
  newest_ = 0;
  begun_ = false;
  all_below_ = 0;
  reported_.clear();
}

}  // namespace eventspace
