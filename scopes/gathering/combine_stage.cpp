#include "scopes/gathering/combine_stage.h"

#include <algorithm>
#include <utility>

#include "scopes/gathering/branch.h"
#include "scopes/gathering/crew.h"
#include "scopes/gathering/in_turn_round.h"
#include "scopes/gathering/overlapped_round.h"
#include "scopes/gathering/ready_list.h"
#include "scopes/gathering/subscription_round.h"

namespace eventspace {
namespace {

std::unique_ptr<Round> make_round(const CombineStage::Config& config, Branches& branches, ReadyList& list) {
  if (config.subscription_interval.count() > 0)
    return std::make_unique<SubscriptionRound>(branches, list, config.subscription_interval);
  if (config.asking == Asking::in_turn) return std::make_unique<InTurnRound>(branches);
  std::unique_ptr<Crew> crew;
  if (config.asking == Asking::threads && config.threads > 1) crew = std::make_unique<Crew>(config.threads);
  return std::make_unique<OverlappedRound>(branches, list, std::move(crew));
}

bool acts_on_records(const std::vector<std::unique_ptr<ViewOperator>>& operators) {
  return std::any_of(operators.begin(), operators.end(),
                     [](const auto& view_operator) { return view_operator->acts_on_records(); });
}

}  // namespace

CombineStage::CombineStage(const Config& config, std::vector<Child> children,
                           std::vector<std::unique_ptr<ViewOperator>> operators)
    : timed_as_(config.timed_as), list_(std::make_unique<ReadyList>()), operators_(std::move(operators)) {
  list_->reserve(children.size());
  branches_.reserve(children.size());
  for (Child& child : children) {
    const auto skip = config.subscription_interval.count() > 0 ? std::nullopt : config.skip;
    branches_.push_back(std::make_unique<Branch>(*list_, branches_.size(), std::move(child), skip));
  }
  // Records sent ahead come before all others, so a child may send them only if it is the only one. With
  // several children, other threads may also be finishing children at the same time.
  const bool is_only_one = branches_.size() == 1;
  if (is_only_one && !acts_on_records(operators_)) branches_.front()->let_records_go_ahead();
  round_ = make_round(config, branches_, *list_);
}

CombineStage::~CombineStage() = default;

void CombineStage::begin(Operation& operation) {
  begun_ = std::chrono::steady_clock::now();
  operation.status = Status::under_way;
  list_->tell(operation.waker);
  for (const auto& branch : branches_) branch->settle(pull_of(operation));
  const bool arrived = transaction_.begin(pull_of(operation));
  for (const auto& view_operator : operators_) view_operator->settle(arrived);
  round_->begin(operation);
}

bool CombineStage::ready(Operation& operation) { return round_->ready(operation); }

void CombineStage::finish(Operation& operation) {
  round_->finish(operation);
  list_->tell(nullptr);  // late branches stay under way, but the parent's waker may be destroyed
  View& view = pull_of(operation).view;
  view.clear();
  put_together(view);
  for (const auto& view_operator : operators_) view_operator->apply(view);
  if (!timed_as_.empty()) {
    view.levels.push_back(
        {timed_as_, std::chrono::steady_clock::now() - begun_, view.record_count(), view.aggregates.size()});
  }
  operation.status = Status::ok;
}

// Appending to an empty view moves the first child's records; then room is reserved for all others, so that
// each record is copied once.
void CombineStage::put_together(View& whole) {
  std::size_t records = 0;
  for (const auto& branch : branches_) records += branch->view().records.own_size();
  for (const auto& branch : branches_) {
    whole.append(std::move(branch->view()));
    if (whole.records.own_size() > 0) whole.records.own().reserve(records);
  }
}

}  // namespace eventspace
