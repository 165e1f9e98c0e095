#pragma once

// Private to monitors/.

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

/// When the search for load imbalance goes deeper, and when it ends.
struct BalanceGoal {
  double slow{0.1};         ///< share of the time from which a function is looked into
  double unbalanced{0.02};  ///< share of the time that a better balance would win, likewise
  double explained{0.9};    ///< share of the measured time that has to be explained
  std::size_t rounds{12};   ///< at most
};

/// A function of a module.
struct FunctionName {
  std::string module;
  std::string function;
  auto operator<=>(const FunctionName&) const = default;
};

/// What became of a function after its round.
enum class BalanceVerdict : std::uint8_t {
  looked_into,  ///< what it calls was, or is going to be, measured in a later round
  fast,         ///< it takes little time, and no process much more than others
  leaf,         ///< it calls nothing that can have a probe, and has not been measured already
  too_often,  ///< its probe would have cost more than the budget: it was taken out before its time was known
  left        ///< the search ended before it could be looked into
};
std::string_view to_string(BalanceVerdict verdict) noexcept;

/// What was found of one function in one round.
struct BalanceFinding {
  std::size_t round{1};
  FunctionName name;
  std::string caller;  ///< the function because of which it was measured
  Spread calls{};
  Spread total_ns{};
  double share{0};  ///< its mean time over processes, of the time of the round
  double lost{0};   ///< by how much its greatest time exceeds the mean, of the time of the round
  BalanceVerdict verdict{BalanceVerdict::fast};
};

/// Finds where a program spends its time, and where its processes differ, by rounds of probes: first the
/// functions that the work loop calls; then, in the place of those that are slow or unbalanced, what these
/// call. Ends when most of the time is explained, or nothing deeper can be probed. It does no I/O.
///
///     BalanceSearch search(goal, first_functions);
///     while (!search.next().empty())
///       search.take(time, measured(search.next()), what_they_call);
///
/// (Thesis of the dynamic instrumentation of parallel programs, section 5.1.2.) Not thread-safe.
class BalanceSearch {
 public:
  /// The functions that are called directly by one and can have a probe. Called for those only that are to be
  /// looked into.
  using Callees = std::function<std::vector<FunctionName>(const FunctionName& caller)>;

  /// `first` are the functions of the first round, which `loop` calls.
  BalanceSearch(const BalanceGoal& goal, const std::string& loop, const std::vector<FunctionName>& first);

  /// Those that are to have probes in the next round; empty: it has ended.
  [[nodiscard]] const std::map<FunctionName, std::string>& next() const noexcept { return next_; }
  /// The number of that round, from 1.
  [[nodiscard]] std::size_t round() const noexcept { return round_; }

  /// Takes out of the round those whose probes are too expensive, with the calls that were counted.
  void take_too_often(const std::vector<FunctionSpread>& functions);
  /// Takes what was measured in `time` of the functions of the round.
  void take(std::chrono::nanoseconds time, const std::vector<FunctionSpread>& functions,
            const Callees& callees);

  /// Of all rounds, in the order of the rounds; in a round the longest times first.
  [[nodiscard]] const std::vector<BalanceFinding>& findings() const noexcept { return findings_; }
  /// The share of the time in which the processes were in functions of the first round.
  [[nodiscard]] double measured() const noexcept { return measured_; }
  /// Of that, the share that is explained.
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
  double open_{0};  // the share of those that are looked into in the next round
};

/// Which of the functions have to lose their probes so that all probes together cost at most `budget`, a
/// share of the time, in the process that they cost most: those that are called most often. `call_cost` is
/// what one measured call costs.
std::vector<FunctionSpread> too_expensive(std::vector<FunctionSpread> functions,
                                          std::chrono::nanoseconds time, std::chrono::nanoseconds call_cost,
                                          double budget);
/// The cost of the probes, as a share of the time: an upper bound for the process in which it is greatest.
double cost_share(const std::vector<FunctionSpread>& functions, std::chrono::nanoseconds time,
                  std::chrono::nanoseconds call_cost);

}  // namespace eventspace
