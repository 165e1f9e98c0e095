#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "monitors/tune/goal.h"

namespace eventspace::tune {

/// Decides which candidate to measure next. The caller measures and reports the figures by add(). Pure. Not
/// thread-safe.
///
/// The search begins with probes, trees whose work differs as much as possible. After that, it chooses the
/// candidate whose prediction, improved by the error of predictions so far, is best for the goal, until no
/// prediction is better than the best measured candidate. That candidate is measured again before it is
/// accepted, because the best of many measurements is often only lucky.
///
///     Search search(works, goal, {});
///     while (const auto next = search.next()) search.add(*next, measure(*next));
class Search {
 public:
  struct Settings {
    double pace{0};          ///< maximum pulls per second; 0 means unlimited
    std::size_t most{0};     ///< maximum number of measurements; 0 means a quarter of the candidates, at
                             ///< least 8
    bool exhaustive{false};  ///< measures every candidate once, in order
  };

  /// `works`: the work of each candidate. The first is the given tree, which is measured first.
  Search(const std::vector<TreeWork>& works, const Goal& goal, const Settings& settings);

  /// The candidate to measure next; nullopt when the search is done.
  [[nodiscard]] std::optional<std::size_t> next() const;
  /// Sets the figures of `candidate` from all its measurements so far. Nullopt means that the candidate
  /// cannot be used.
  void add(std::size_t candidate, const std::optional<Figures>& figures);

  /// The measured candidate that is best for the goal, even if it does not meet it; nullopt when none is
  /// measured.
  [[nodiscard]] std::optional<std::size_t> best() const;
  [[nodiscard]] const std::optional<Figures>& measured(std::size_t candidate) const {
    return candidates_[candidate].figures;
  }
  [[nodiscard]] std::size_t times_measured(std::size_t candidate) const {
    return candidates_[candidate].times;
  }
  [[nodiscard]] std::size_t measurements() const noexcept { return measurements_; }
  /// The maximum number of measurements.
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  /// The prediction from the measurements so far; nullopt before the first.
  [[nodiscard]] std::optional<Figures> predicted(std::size_t candidate) const;
  [[nodiscard]] const std::optional<CostModel>& model() const noexcept { return model_; }

 private:
  struct Candidate {
    TreeWork work;
    std::optional<Figures> figures;
    std::size_t times{0};
  };
  void choose_probes();
  [[nodiscard]] std::optional<std::size_t> unmeasured() const;
  [[nodiscard]] std::optional<std::size_t> promising() const;
  [[nodiscard]] Figures hoped(std::size_t candidate) const;

  Goal goal_;
  Settings settings_;
  std::size_t most_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> probes_;
  std::optional<CostModel> model_;
  std::size_t measurements_{0};
};

}  // namespace eventspace::tune
