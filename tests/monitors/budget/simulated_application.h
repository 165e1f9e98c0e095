#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "monitors/budget/budget_control.h"

namespace eventspace {

/// An application whose event rates are known at any time, with a budget that is kept by BudgetControl: a
/// loop of looks of a second without any clock.
class SimulatedApplication {
 public:
  struct Class {
    EventClasses of;
    std::function<double(double at)> rate;  ///< events a second, at a time in seconds
  };

  SimulatedApplication(const BudgetControl::Settings& settings, std::vector<Class> classes)
      : costs_(settings.costs), control(settings), classes_(std::move(classes)) {}

  double threads{4};       ///< recording threads that run all the time
  double watching{0.002};  ///< processor seconds a second that the tool and its servers use, not stretched
  std::vector<BudgetStep> steps;

  /// Looks once a second.
  void run(double seconds) {
    for (const double end = at_ + seconds; at_ < end; at_ += 1) look(1);
  }
  void look(double seconds) {
    LookCounts counts;
    counts.elapsed = duration(seconds);
    counts.recording_cpu = duration(seconds * threads);
    counts.watching_cpu = duration(seconds * watching / control.stretch());
    for (const Class& one : classes_) counts.classes.push_back(load_of(one, seconds));
    for (const ClassLoad& load : counts.classes) {
      upper_ns_ += cost_of_load(load);
    }
    upper_ns_ += static_cast<double>(counts.watching_cpu.count());
    of_ns_ += static_cast<double>(counts.recording_cpu.count());
    for (const BudgetStep& step : control.look(counts)) steps.push_back(step);
  }

  /// The upper end of the true overhead so far, as a share of the time of the recording threads.
  [[nodiscard]] double share() const { return upper_ns_ / of_ns_; }
  [[nodiscard]] std::uint32_t period_of(const EventClasses& of) const {
    const auto found = control.periods().find(of);
    return found == control.periods().end() ? 1 : found->second;
  }

 private:
  static std::chrono::nanoseconds duration(double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  }
  ClassLoad load_of(const Class& one, double seconds) const {
    const double events = one.rate(at_) * seconds;
    const std::uint32_t period = period_of(one.of);
    return {.of = one.of, .recorded = period == 0 ? 0 : events / period, .events = events, .period = period};
  }
  [[nodiscard]] double cost_of_load(const ClassLoad& load) const {
    return cost_of(load, load.period, costs_).high;
  }

  RecordCosts costs_;

 public:
  BudgetControl control;

 private:
  std::vector<Class> classes_;
  double at_{0};
  double upper_ns_{0};
  double of_ns_{0};
};

}  // namespace eventspace
