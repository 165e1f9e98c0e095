#pragma once

#include <vector>

#include "monitors/tune/tree_work.h"

namespace eventspace::tune {

/// The measured or predicted performance of a scope.
struct Figures {
  double rate{0};      ///< pulls a second
  double slowdown{1};  ///< of the application
};

/// Predicts the figures of trees from measurements of other trees. Pure. Not thread-safe.
///
/// The time of a pull is the sum of its tree's work, each kind of work at its price. If servers do not share
/// processors, only the work on the longest way counts; if they share one, all of it. The fraction between
/// these two is fitted too. At each pull the application loses the time of all of the work, at separate
/// prices. Prices are fitted by least squares and are never negative.
class CostModel {
 public:
  /// `pace`: the maximum number of pulls per second; 0 means unlimited.
  explicit CostModel(double pace) : pace_(pace) {}

  void add(const TreeWork& work, const Figures& measured);
  /// Fits the prices to all added measurements. At least one must have been added.
  void fit();

  [[nodiscard]] Figures predict(const TreeWork& work) const;
  /// The relative error of predicted rates at the fitted measurements; larger when there are only few of
  /// these.
  [[nodiscard]] double rate_error() const noexcept { return rate_error_; }
  /// The absolute error of predicted slowdowns.
  [[nodiscard]] double slowdown_error() const noexcept { return slowdown_error_; }

  /// The prices in seconds, for reports: of the time of a pull, and of the time that the application loses.
  [[nodiscard]] Counts pull_prices() const;
  [[nodiscard]] Counts application_prices() const;
  /// 0 if all servers work in parallel; 1 if one at a time.
  [[nodiscard]] double sharing() const noexcept { return sharing_; }

 private:
  struct Sample {
    TreeWork work;
    Figures measured;
  };
  [[nodiscard]] std::vector<double> fit_pulls(double sharing) const;
  [[nodiscard]] double pull_seconds(const TreeWork& work, const std::vector<double>& prices,
                                    double sharing) const;
  [[nodiscard]] double misfit(const std::vector<double>& prices, double sharing) const;
  void fit_application();
  [[nodiscard]] double unpaced(double seconds) const;

  double pace_;
  std::vector<Sample> samples_;
  double sharing_{1};
  std::vector<double> pull_;         // prices, as multiples of the usual ones
  std::vector<double> application_;  // the same
  double rate_error_{1};
  double slowdown_error_{1};
};

}  // namespace eventspace::tune
