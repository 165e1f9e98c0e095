#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/budget/overhead_model.h"

namespace eventspace {

/// One change that keeps a budget, or undoes such a change.
struct BudgetStep {
  enum class What : std::uint8_t {
    interval,  ///< the tool's pauses become `to` times as long as without a budget
    period,    ///< one event in `to` of class `of` is recorded; 0: none
    give_up    ///< the budget cannot be kept: everything is off
  };
  What what{What::period};
  EventClasses of{};
  std::uint32_t from{1};
  std::uint32_t to{1};
  double share{0};        ///< the upper end of the overhead, at the look that made the step
  bool may_switch{true};  ///< for give_up: whether classes could be switched off

  /// Whether it costs less than before. 0 is the cheapest period.
  [[nodiscard]] bool is_tighter() const noexcept;
};

/// Decides, from the overhead between two looks, how to keep it within a budget:
///
/// 1. It lengthens the tool's own interval, up to `max_stretch` times, as long as watching takes more than a
///    quarter of the budget.
/// 2. It records one event in n of the class with the most records, n from 2 to `max_period`; then of the
///    next class.
/// 3. It switches classes off, the most frequent one first.
/// 4. If that is not enough for some looks, it gives up: everything is off, and the tool is to end.
///
/// The upper end of the overhead counts. The budget holds for the time watched as a whole: overhead above it,
/// such as before the first step, is made up by less overhead later, within the bounds of `least_allowed`.
/// Steps are undone in the opposite order, if the overhead predicted afterwards is at most `undo_below` of
/// the budget. An undoing that had to be repeated doubles the number of looks before the next one, up to
/// `max_hold`, so that an application whose rates change does not make the settings oscillate.
///
/// An application whose recording threads use little processor time (less than `idle_below` of the elapsed
/// time) is not slowed by watching: then only its records count.
///
/// Plain arithmetic: does no I/O and reads no clock. Not thread-safe.
class BudgetControl {
 public:
  static constexpr std::uint32_t max_stretch = 8;
  static constexpr std::uint32_t max_period = 1000;
  static constexpr double aim = 0.8;  ///< steps aim at this part of the allowed overhead
  static constexpr double undo_below = 0.7;
  static constexpr double least_allowed = 0.5;
  static constexpr double idle_below = 0.05;
  static constexpr unsigned first_hold = 3;
  static constexpr unsigned max_hold = 60;
  static constexpr unsigned patience = 6;  ///< looks over the budget without a step left

  struct Settings {
    double budget{0.01};  ///< share of the time of threads that record, above 0
    RecordCosts costs;
    bool may_stretch{true};  ///< whether the tool's interval may be lengthened
    bool may_switch{true};   ///< whether classes may be switched
  };
  explicit BudgetControl(const Settings& settings) : settings_(settings) {}

  /// Takes the counts since the previous look, and returns the steps to carry out now, in this order.
  std::vector<BudgetStep> look(const LookCounts& counts);

  /// Whether classes may be switched from now on. While they may not, steps that switched them are forgotten,
  /// and only the cost of watching counts, because the tool cannot change the cost of records.
  void let_switch(bool may_switch) noexcept;

  /// By how much the tool's pauses are longer than without a budget.
  [[nodiscard]] std::uint32_t stretch() const noexcept { return stretch_; }
  /// The classes that are thinned, and their periods.
  struct LessOf {
    bool operator()(const EventClasses& a, const EventClasses& b) const noexcept {
      return std::pair(a.kind, a.event_class) < std::pair(b.kind, b.event_class);
    }
  };
  using Periods = std::map<EventClasses, std::uint32_t, LessOf>;
  [[nodiscard]] const Periods& periods() const noexcept { return periods_; }
  [[nodiscard]] bool has_given_up() const noexcept { return has_given_up_; }

  /// Sums over all looks.
  [[nodiscard]] const Overhead& sum() const noexcept { return sum_; }
  /// The overhead at the last look.
  [[nodiscard]] const Overhead& last() const noexcept { return last_; }
  /// The upper end of the overhead of all looks as a share.
  [[nodiscard]] double share() const noexcept { return sum_.share(); }
  /// The part of share() that the budget limits: without the cost of records while classes may not be
  /// switched, and without the cost of watching while the application is idle.
  [[nodiscard]] double counted_share() const noexcept { return sum_.of > 0 ? counted_ / sum_.of : 0; }

 private:
  struct Load {
    ClassLoad load;
    std::uint32_t period;
  };
  /// The costs that the events of a look would have with other settings.
  struct Prediction {
    std::vector<Load> loads;
    double watching;

    /// The upper end for records, and for all.
    [[nodiscard]] double records(const RecordCosts& costs) const noexcept;
    [[nodiscard]] double total(const RecordCosts& costs) const noexcept { return records(costs) + watching; }
    [[nodiscard]] Prediction with(const EventClasses& of, std::uint32_t period) const;
  };

  [[nodiscard]] Prediction predict(const LookCounts& counts) const;
  void account(const LookCounts& counts);
  [[nodiscard]] double overhead() const noexcept;
  [[nodiscard]] double allowed() const noexcept;
  void tighten(Prediction& now, std::vector<BudgetStep>& steps);
  void stretch_more(Prediction& now, double target, std::vector<BudgetStep>& steps);
  void thin(Prediction& now, double target, std::vector<BudgetStep>& steps);
  void switch_off(Prediction& now, double target, std::vector<BudgetStep>& steps);
  void be_at_the_end(Prediction& now, std::vector<BudgetStep>& steps);
  void loosen(const Prediction& now, std::vector<BudgetStep>& steps);
  [[nodiscard]] std::uint32_t looser_period(const Prediction& now, const EventClasses& of, std::uint32_t from,
                                            double target) const;
  [[nodiscard]] static std::uint32_t least_found(const Prediction& now, const EventClasses& of) noexcept;
  void forget_last_thinned();
  [[nodiscard]] bool loosen_class(const Prediction& now, double target, std::vector<BudgetStep>& steps);
  [[nodiscard]] bool loosen_interval(const Prediction& now, double target, std::vector<BudgetStep>& steps);
  [[nodiscard]] std::uint32_t period_within(const Prediction& now, const Load& of, double target) const;
  void set(Prediction& now, const Load& of, std::uint32_t period, std::vector<BudgetStep>& steps);
  void note_tightened();

  Settings settings_;
  std::uint32_t stretch_{1};
  Periods periods_;
  std::vector<EventClasses> order_;  // thinned classes, the first one first
  Overhead last_;
  Overhead sum_;
  double counted_{0};  // the part of all overhead that the budget limits, in ns
  double debt_{0};     // overhead above the budget so far, in ns; below 0: room that a burst may use
  bool is_idle_{false};
  unsigned hold_{first_hold};
  unsigned since_step_{0};
  std::optional<unsigned> since_undone_{};
  unsigned over_without_step_{0};
  bool has_given_up_{false};
};

}  // namespace eventspace
