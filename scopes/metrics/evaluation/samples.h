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
#include "scopes/metrics/records/passages.h"

namespace eventspace::metrics {

/// A virtual time, in the order in which an object passes a probe. A program may begin again at a lower
/// virtual time: then a new epoch begins. Plain data.
struct Step {
  std::int64_t epoch{0};
  std::int64_t virtual_time{0};
  friend auto operator<=>(const Step&, const Step&) = default;  // NOLINT
};

/// The values that one sampler took of one object, by virtual time. Keeps the newest. Passages that it has
/// not seen, because they were before the measurement, or because their records were lost or not made, are
/// known by the numbers of those that it has seen: a value without a time that is `missed` stands for all
/// virtual times from the value before it to its own.
class Samples {
 public:
  static constexpr std::size_t most = 4096;

  /// What a record says of a passage: the number of the passage in its thread, or a virtual time.
  struct Place {
    std::uint32_t thread{0};
    std::optional<std::int64_t> passage{};
    std::int64_t virtual_time{0};
  };
  /// Returns the step of the next passage of the probe. Where the program has not set a virtual time, it is
  /// the number of the passage of the object, from 0; what is between it and the last one was missed. Records
  /// that have neither are counted.
  Step next(const Place& place);
  /// A passage that was before the measurement began.
  void miss(const Place& place);
  /// Keeps the value of a step. The first value of a step counts; one of a step before the last is dropped.
  void keep(const Step& step, const Datum& value);

  /// The object has come so far, and leaves out the steps until there.
  void reach(const Step& step) {
    if (!reached_ || *reached_ < step) reached_ = step;
  }

  /// Returns the value; `later` if the object has not come so far, `absent` if it has passed it by, `missed`
  /// if it was not seen. `is_earlier`: it is asked for together with a later one, so that there may be none
  /// yet: `before` the first one, or `unseen`.
  [[nodiscard]] Datum at(const Step& step, bool is_earlier = false) const;
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
  static bool is_missed(const Datum& value) noexcept {
    return value.state == Datum::State::missed && value.is_timeless();
  }
  [[nodiscard]] Step step_at(std::int64_t virtual_time) const noexcept;
  [[nodiscard]] Datum value_at(std::size_t place, bool is_earlier) const;

  // In ascending order; the last `most` count.
  std::vector<Step> steps_;
  std::vector<Datum> values_;
  mutable std::size_t found_{0};  // in them, by the last call of at()
  std::optional<Step> last_;
  std::optional<Step> reached_;  // at least last_
  Passages passages_;
  std::int64_t passages_without_number_{0};
  bool has_virtual_time_{false};
  std::uint64_t repeated_{0};
};

}  // namespace eventspace::metrics
