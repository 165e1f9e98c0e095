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
  /// The values of some steps, which are in ascending order, each shifted by `shift` virtual times. They are
  /// valid until the next change; if the object left out some of these steps, or has not come so far, they
  /// are put into `room`.
  [[nodiscard]] std::span<const Datum> at(std::span<const Step> steps, std::int64_t shift,
                                          std::vector<Datum>& room) const;
  /// The steps that are kept, in ascending order, and their values.
  [[nodiscard]] std::span<const Step> steps() const noexcept {
    return std::span(steps_).last(std::min(steps_.size(), most));
  }
  [[nodiscard]] std::span<const Datum> values() const noexcept {
    return std::span(values_).last(std::min(values_.size(), most));
  }
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }
  [[nodiscard]] const std::optional<Step>& last() const noexcept { return last_; }

 private:
  // In ascending order; the last `most` count.
  std::vector<Step> steps_;
  std::vector<Datum> values_;
  mutable std::size_t found_{0};  // in them, by the last call of at()
  std::optional<Step> last_;
  std::optional<Step> reached_;  // at least last_
  std::int64_t passages_{0};
  bool has_virtual_time_{false};
  std::uint64_t repeated_{0};
};

}  // namespace eventspace::metrics
