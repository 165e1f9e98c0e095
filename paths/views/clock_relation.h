#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace eventspace {

/// A time on a clock, in nanoseconds, with a bound on its error.
struct BoundedTime {
  std::int64_t ns{0};
  std::optional<std::int64_t> error_ns{};  ///< nullopt means unbounded
};

/// Converts times of one clock (there) to another one (here), with a bound on the error. Both are
/// CLOCK_MONOTONIC of nodes: there an event was recorded, and here a view is held. The default-constructed
/// relation states that both are the same clock.
///
///     here = there + offset_ns + drift_ppm / 1e6 * (there - reference_ns), and is off by at most
///
///     error
///       ^  \                                      /      growth_ppm on either side
///       |   \____________________________________/       covered_error_ns, or less
///       |                                       / error_ns
///       +---|----------------------------------|------> there
///           covered_since_ns                   reference_ns
///
/// Before bounded_since_ns one of the clocks jumped, so the error is unbounded. Plain data, part of the wire
/// format; const functions are thread-safe.
struct ClockRelation {
  static constexpr std::int64_t always = std::numeric_limits<std::int64_t>::min();

  bool known{true};              ///< false if the clocks have not been compared; other members are
                                 ///< meaningless then
  std::uint32_t jumps{0};        ///< noticed jumps of the clocks on the way
  std::int64_t reference_ns{0};  ///< a time there
  std::int64_t offset_ns{0};     ///< at reference_ns
  double drift_ppm{0};           ///< how much faster the clock here runs
  std::int64_t error_ns{0};      ///< at reference_ns
  double growth_ppm{0};          ///< how fast the bound grows with the distance in time
  std::int64_t covered_since_ns{0};
  std::int64_t covered_error_ns{0};
  std::int64_t bounded_since_ns{always};

  /// The relation of clocks that have not been compared.
  static ClockRelation unknown() noexcept;
  /// Whether both are the same clock.
  [[nodiscard]] bool is_same() const noexcept;

  /// Converts a time there to a time here.
  [[nodiscard]] BoundedTime here(std::int64_t there) const noexcept;
  /// Converts a time here to a time there, without a bound.
  [[nodiscard]] std::int64_t there(std::int64_t here) const noexcept;
  /// The relation from there to the clock that `onward` converts to from here: offsets and drifts add up, and
  /// so do bounds.
  [[nodiscard]] ClockRelation then(const ClockRelation& onward) const noexcept;
  /// The relation for times that were converted with here(): they are times of the clock here, with the same
  /// error as before.
  [[nodiscard]] ClockRelation of_times_here() const noexcept;

  /// Widens the bound, so that it also holds for times that were converted with `other`.
  void widen(const ClockRelation& other) noexcept;

  friend bool operator==(const ClockRelation&, const ClockRelation&) = default;

 private:
  [[nodiscard]] std::int64_t spread(std::int64_t there) const noexcept;
};

}  // namespace eventspace
