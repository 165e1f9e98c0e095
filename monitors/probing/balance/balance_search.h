#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "monitors/probing/groups/spread.h"

namespace eventspace {

/// Limits of the search for load imbalance: when it goes deeper, and when it ends.
struct BalanceGoal {
  double slow{0.1};         ///< share of the time from which a function's callees are measured
  double unbalanced{0.02};  ///< share of the time that a better balance would save, likewise
  double explained{0.9};    ///< share of the measured time that has to be explained
  std::size_t rounds{12};   ///< limit
};

/// A function of a module.
struct FunctionName {
  std::string module;
  std::string function;
  auto operator<=>(const FunctionName&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The result for a function after its round.
enum class BalanceVerdict : std::uint8_t {
  looked_into,  ///< its callees are, or will be, measured in a later round
  fast,         ///< it takes little time, and about the same in all processes
  leaf,         ///< it calls no function that can be probed and was not yet measured
  too_often,    ///< its probe would have exceeded the budget, so it was removed before its time was measured
  left          ///< the search ended before its callees were measured
};
std::string_view to_string(BalanceVerdict verdict) noexcept;

/// The measurement of one function in one round.
struct BalanceFinding {
  std::size_t round{1};
  FunctionName name;
  std::string caller;  ///< the function whose callee it is
  Spread calls{};
  Spread total_ns{};
  double share{0};  ///< its mean time over processes, as a share of the time of the round
  double lost{0};   ///< its greatest time minus its mean time, as a share of the time of the round
  BalanceVerdict verdict{BalanceVerdict::fast};
};

/// Finds where a program spends its time, and where its processes differ, by rounds of probes. The first
/// round measures the functions that the work loop calls. Later rounds replace slow or unbalanced functions
/// by their callees. The search ends when most of the time is explained, or when no callee can be probed. It
/// does no I/O.
///
///     BalanceSearch search(goal, first_functions);
///     while (!search.next().empty())
///       search.take(time, measured(search.next()), what_they_call);
///
/// (Thesis of the dynamic instrumentation of parallel programs, section 5.1.2.) Not thread-safe.
class BalanceSearch {
 public:
  /// Returns the direct callees that can be probed. It is called only for functions whose callees will be
  /// measured.
  using Callees = std::function<std::vector<FunctionName>(const FunctionName& caller)>;

  /// `first` are the functions of the first round, which `loop` calls.
  BalanceSearch(const BalanceGoal& goal, const std::string& loop, const std::vector<FunctionName>& first);

  /// The functions to probe in the next round, with their callers; empty when the search has ended.
  [[nodiscard]] const std::map<FunctionName, std::string>& next() const noexcept { return next_; }
  /// The number of the next round, from 1.
  [[nodiscard]] std::size_t round() const noexcept { return round_; }

  /// Removes functions from the round whose probes are too expensive, with the calls that were counted.
  void take_too_often(const std::vector<FunctionSpread>& functions);
  /// Takes the measurements of the round's functions, which took `time`.
  void take(std::chrono::nanoseconds time, const std::vector<FunctionSpread>& functions,
            const Callees& callees);

  /// The findings of all rounds, in order of rounds; within a round the longest times first.
  [[nodiscard]] const std::vector<BalanceFinding>& findings() const noexcept { return findings_; }
  /// The share of the time in which the processes were in functions of the first round.
  [[nodiscard]] double measured() const noexcept { return measured_; }
  /// The part of measured() that is explained.
  [[nodiscard]] double explained() const noexcept;

 private:
  [[nodiscard]] bool is_worth_it(const BalanceFinding& finding) const noexcept;
  void look_into(BalanceFinding& finding, const Callees& callees);

  BalanceGoal goal_;
  std::map<FunctionName, std::string> next_;  // with their callers
  std::set<FunctionName> seen_;
  std::size_t round_{1};
  std::vector<BalanceFinding> findings_;
  double measured_{0};
  double open_{0};  // share of the functions whose callees the next round measures
};

/// Selects the functions that have to lose their probes so that all probes together cost at most `budget`, a
/// share of the time, in the process where they cost most. The most often called functions are selected.
/// `call_cost` is the cost of one measured call.
std::vector<FunctionSpread> too_expensive(std::vector<FunctionSpread> functions,
                                          std::chrono::nanoseconds time, std::chrono::nanoseconds call_cost,
                                          double budget);
/// The cost of the probes as a share of the time: an upper bound for the process in which it is greatest.
double cost_share(const std::vector<FunctionSpread>& functions, std::chrono::nanoseconds time,
                  std::chrono::nanoseconds call_cost);

}  // namespace eventspace
