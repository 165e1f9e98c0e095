#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/records/passages.h"

namespace eventspace::metrics {

/// A virtual time, in the order in which an object passes a probe. If a program restarts at a lower virtual
/// time, a new epoch begins. Plain data.
struct Step {
  std::int64_t epoch{0};
  std::int64_t virtual_time{0};
  friend auto operator<=>(const Step&, const Step&) = default;  // NOLINT
};

/// The values that one sampler took from one object, by virtual time. Keeps the newest. It detects passages
/// that it has not seen (before the measurement, or with records that were lost or not made) by gaps between
/// the numbers of the passages that it has seen. A value without a time that is `missed` stands for all
/// virtual times from the value before it to its own.
class Samples {
 public:
  static constexpr std::size_t most = 4096;

  /// The place of a passage according to its record: the number of the passage in its thread, or a virtual
  /// time.
  struct Place {
    std::uint32_t thread{0};
    std::optional<std::int64_t> passage{};
    std::int64_t virtual_time{0};
  };
  /// Returns the step of the next passage of the probe. If the program has not set a virtual time, the step
  /// is the number of the object's passage, from 0; the passages between it and the last one were missed.
  /// Records without either are counted.
  Step next(const Place& place);
  /// Takes a passage from before the measurement began.
  void miss(const Place& place);
  /// Keeps the value of a step. The first value of a step counts; the value of a step before the last is
  /// dropped.
  void keep(const Step& step, const Datum& value);

  /// The object has reached a step, and leaves out the steps before it that have no value.
  void reach(const Step& step) {
    if (!reached_ || *reached_ < step) reached_ = step;
  }

  /// Returns the value; `later` if the object has not reached the step, `absent` if it has skipped it,
  /// `missed` if it was not seen. `is_earlier`: the value is needed together with a later one, so it may be
  /// `before` the first one, or `unseen`.
  [[nodiscard]] Datum at(const Step& step, bool is_earlier = false) const;
  /// The values of some steps, which are in ascending order, each shifted by `shift` virtual times. They are
  /// valid until the next change. If the object left out some of these steps, or has not reached them, the
  /// values are put into `room`.
  [[nodiscard]] std::span<const Datum> at(std::span<const Step> steps, std::int64_t shift,
                                          std::vector<Datum>& room) const;
  /// The kept steps, in ascending order, and their values.
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
  mutable std::size_t found_{0};  // the index that the last call of at() found
  std::optional<Step> last_;
  std::optional<Step> reached_;  // at least last_
  Passages passages_;
  std::int64_t passages_without_number_{0};
  bool has_virtual_time_{false};
  std::uint64_t repeated_{0};
};

}  // namespace eventspace::metrics
