#pragma once

// Private to monitors/.

#include <cstddef>
#include <optional>
#include <vector>

#include "monitors/tune/goal.h"

namespace eventspace::tune {

/// Decides which candidate to measure next. Pure: whoever measures says what came of it.
///
/// It begins with probes, trees that have as different things to do as can be. Then the next one is always
/// that whose prediction, taken a little better than it is for as much as predictions were off, serves the
/// goal best; until none is predicted to serve it better than the best one measured. That one is measured
/// again before it counts, as the best of many is often only the luckiest.
///
///     Search search(works, goal, {});
///     while (const auto next = search.next()) search.add(*next, measure(*next));
class Search {
 public:
  struct Settings {
    double pace{0};          ///< pulls a second at most; 0: as fast as they go
    std::size_t most{0};     ///< measurements, at most; 0: a quarter of the candidates, but 8 at least
    bool exhaustive{false};  ///< measures every candidate once, in their order
  };

  /// `works`: what each candidate has to do; the first is what there is now, and is measured first.
  Search(const std::vector<TreeWork>& works, const Goal& goal, const Settings& settings);

  /// The candidate to measure now; nothing: it is done.
  [[nodiscard]] std::optional<std::size_t> next() const;
  /// All that is known of `candidate` now, this measurement and those before together. Nothing: it cannot be
  /// used.
  void add(std::size_t candidate, const std::optional<Figures>& figures);

  /// The one that serves the goal best of those measured; nothing when none is. Whether it meets it is
  /// another thing.
  [[nodiscard]] std::optional<std::size_t> best() const;
  [[nodiscard]] const std::optional<Figures>& measured(std::size_t candidate) const {
    return candidates_[candidate].figures;
  }
  [[nodiscard]] std::size_t times_measured(std::size_t candidate) const {
    return candidates_[candidate].times;
  }
  [[nodiscard]] std::size_t measurements() const noexcept { return measurements_; }
  /// How many there will be at most.
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  /// By what was measured so far; nothing before anything was.
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
