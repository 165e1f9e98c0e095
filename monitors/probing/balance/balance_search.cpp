#include "monitors/probing/balance/balance_search.h"

#include <algorithm>
#include <functional>

namespace eventspace {
namespace {

double share_of(double ns, std::chrono::nanoseconds time) {
  return time.count() <= 0 ? 0 : ns / static_cast<double>(time.count());
}

BalanceFinding finding_of(const FunctionSpread& measured, std::chrono::nanoseconds time) {
  BalanceFinding finding;
  finding.name = {measured.module, measured.function};
  finding.calls = measured.calls;
  finding.total_ns = measured.total_ns;
  finding.share = share_of(measured.total_ns.mean(), time);
  finding.lost = share_of(static_cast<double>(measured.total_ns.greatest) - measured.total_ns.mean(), time);
  return finding;
}

}  // namespace

std::string_view to_string(BalanceVerdict verdict) noexcept {
  switch (verdict) {
    case BalanceVerdict::looked_into:
      return "looked into";
    case BalanceVerdict::fast:
      return "fast";
    case BalanceVerdict::leaf:
      return "nothing deeper";
    case BalanceVerdict::too_often:
      return "called too often";
    case BalanceVerdict::left:
      return "left";
  }
  return "?";
}

BalanceSearch::BalanceSearch(const BalanceGoal& goal, const std::string& loop,
                             const std::vector<FunctionName>& first)
    : goal_(goal) {
  for (const FunctionName& name : first)
    if (seen_.insert(name).second) next_.emplace(name, loop);
}

double BalanceSearch::explained() const noexcept {
  return measured_ <= 0 ? 0 : std::clamp(1 - open_ / measured_, 0.0, 1.0);
}

bool BalanceSearch::is_worth_it(const BalanceFinding& finding) const noexcept {
  return finding.share >= goal_.slow || finding.lost >= goal_.unbalanced;
}

void BalanceSearch::take_too_often(const std::vector<FunctionSpread>& functions) {
  for (const FunctionSpread& one : functions) {
    const auto known = next_.find({one.module, one.function});
    if (known == next_.end()) continue;
    BalanceFinding finding = finding_of(one, {});
    finding.total_ns = {};
    finding.round = round_;
    finding.caller = known->second;
    finding.verdict = BalanceVerdict::too_often;
    findings_.push_back(std::move(finding));
    next_.erase(known);
  }
}

void BalanceSearch::look_into(BalanceFinding& finding, const Callees& callees) {
  std::size_t added = 0;
  for (const FunctionName& callee : callees(finding.name)) {
    if (!seen_.insert(callee).second) continue;  // this also ends the search in recursive calls
    next_.emplace(callee, finding.name.function);
    ++added;
  }
  finding.verdict = added > 0 ? BalanceVerdict::looked_into : BalanceVerdict::leaf;
}

void BalanceSearch::take(std::chrono::nanoseconds time, const std::vector<FunctionSpread>& functions,
                         const Callees& callees) {
  const std::map<FunctionName, std::string> round = std::exchange(next_, {});
  std::vector<BalanceFinding> found;
  for (const FunctionSpread& one : functions) {
    const auto known = round.find({one.module, one.function});
    if (known == round.end()) continue;
    found.push_back(finding_of(one, time));
    found.back().round = round_;
    found.back().caller = known->second;
  }
  std::ranges::stable_sort(found, std::greater{}, &BalanceFinding::share);
  open_ = 0;
  for (BalanceFinding& finding : found) {
    if (round_ == 1) measured_ += finding.share;
    if (!is_worth_it(finding)) continue;
    look_into(finding, callees);
    if (finding.verdict == BalanceVerdict::looked_into) open_ += finding.share;
  }
  if (round_ >= goal_.rounds || explained() >= goal_.explained) {
    next_.clear();
    for (BalanceFinding& finding : found)
      if (finding.verdict == BalanceVerdict::looked_into) finding.verdict = BalanceVerdict::left;
  }
  std::ranges::move(found, std::back_inserter(findings_));
  ++round_;
}

double cost_share(const std::vector<FunctionSpread>& functions, std::chrono::nanoseconds time,
                  std::chrono::nanoseconds call_cost) {
  double calls = 0;
  for (const FunctionSpread& one : functions) calls += static_cast<double>(one.calls.greatest);
  return share_of(calls * static_cast<double>(call_cost.count()), time);
}

std::vector<FunctionSpread> too_expensive(std::vector<FunctionSpread> functions,
                                          std::chrono::nanoseconds time, std::chrono::nanoseconds call_cost,
                                          double budget) {
  std::ranges::stable_sort(functions, {}, [](const FunctionSpread& one) { return one.calls.greatest; });
  std::vector<FunctionSpread> out;
  while (!functions.empty() && cost_share(functions, time, call_cost) > budget) {
    out.push_back(std::move(functions.back()));
    functions.pop_back();
  }
  return out;
}

}  // namespace eventspace
