#pragma once

// Private to scopes/.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/datum.h"

namespace eventspace::metrics {

/// A virtual time, in the order in which an object passes a probe. A program may begin again at a lower
/// virtual time: then a new epoch begins. Plain data.
struct Step {
  std::int64_t epoch{0};
  std::int64_t virtual_time{0};
  friend auto operator<=>(const Step&, const Step&) = default;  // NOLINT
};

/// The values that one sampler took of one object, by virtual time. Keeps the newest.
class Samples {
 public:
  static constexpr std::size_t most = 4096;
  using Sample = std::pair<Step, Datum>;

  /// Returns the step of the next passage of the probe. Where the program has not set a virtual time, it is
  /// the number of the passage, from 0.
  Step next(std::int64_t virtual_time) noexcept;
  /// Keeps the value of a step. The first value of a step counts; one of a step before the last is dropped.
  void keep(const Step& step, const Datum& value);

  /// The object has come so far, and leaves out the steps until there.
  void reach(const Step& step) {
    if (!reached_ || *reached_ < step) reached_ = step;
  }

  /// Returns the value; `later` if the object has not come so far, `absent` if it has passed it by.
  [[nodiscard]] Datum at(const Step& step) const;
  /// In ascending order.
  [[nodiscard]] std::span<const Sample> all() const noexcept {
    return std::span(kept_).last(std::min(kept_.size(), most));
  }
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }
  [[nodiscard]] const std::optional<Step>& last() const noexcept { return last_; }

 private:
  std::vector<Sample> kept_;      // in ascending order; the last `most` count
  mutable std::size_t found_{0};  // in it, by the last call of at()
  std::optional<Step> last_;
  std::optional<Step> reached_;  // at least last_
  std::int64_t passages_{0};
  bool has_virtual_time_{false};
  std::uint64_t repeated_{0};
};

}  // namespace eventspace::metrics
