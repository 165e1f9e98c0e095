#pragma once

// Private to monitors/.

#include <vector>

#include "monitors/tune/tree_work.h"

namespace eventspace::tune {

/// What matters of a scope, measured or predicted.
struct Figures {
  double rate{0};      ///< pulls a second
  double slowdown{1};  ///< of the application
};

/// Predicts figures of trees from those of others.
///
/// A pull takes the sum of what its tree has to do, each thing at its price: for the time of a pull between
/// what is on the longest way and what there is in all, by how much the servers get in each other's way,
/// which is fitted too. The application loses the time that all of it takes, at prices of their own, at each
/// pull. Prices are fitted by least squares and are never negative.
class CostModel {
 public:
  /// `pace`: pulls a second at most; 0: as fast as they go.
  explicit CostModel(double pace) : pace_(pace) {}

  void add(const TreeWork& work, const Figures& measured);
  /// After all that was added; needs something that was.
  void fit();

  [[nodiscard]] Figures predict(const TreeWork& work) const;
  /// How far predictions of rates were off what they were fitted to, as a share; what only a few measurements
  /// say is taken for less sure.
  [[nodiscard]] double rate_error() const noexcept { return rate_error_; }
  /// The same of slowdowns, as a difference.
  [[nodiscard]] double slowdown_error() const noexcept { return slowdown_error_; }

  /// In seconds, for reports: of the time of a pull, and of what the application loses.
  [[nodiscard]] Counts pull_prices() const;
  [[nodiscard]] Counts application_prices() const;
  /// 0: all servers work side by side; 1: one at a time.
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
  std::vector<double> pull_;         // prices as multiples of the usual ones
  std::vector<double> application_;  // the same
  double rate_error_{1};
  double slowdown_error_{1};
};

}  // namespace eventspace::tune
