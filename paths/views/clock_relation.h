#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace eventspace {

/// A moment on a clock, and how far that can be off; nothing: there is no bound.
struct BoundedTime {
  std::int64_t ns{0};
  std::optional<std::int64_t> error_ns{};
};

/// How one clock (there) is read on another one (here): both are CLOCK_MONOTONIC of nodes, the one where
/// something was recorded and the one where a view is held.
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
/// Before bounded_since_ns one of the clocks jumped: there is no bound. As it is made, it says that both are
/// one clock. Plain data, part of the wire format.
struct ClockRelation {
  static constexpr std::int64_t always = std::numeric_limits<std::int64_t>::min();

  bool known{true};              ///< false: the clocks have not been compared, and the rest says nothing
  std::uint32_t jumps{0};        ///< of any of the clocks on the way that were noticed
  std::int64_t reference_ns{0};  ///< a moment there
  std::int64_t offset_ns{0};     ///< then
  double drift_ppm{0};           ///< by how much the clock here runs faster
  std::int64_t error_ns{0};      ///< then
  double growth_ppm{0};          ///< how fast the bound grows with the distance
  std::int64_t covered_since_ns{0};
  std::int64_t covered_error_ns{0};
  std::int64_t bounded_since_ns{always};

  /// Of clocks that nobody has compared.
  static ClockRelation unknown() noexcept;
  /// Whether both are one clock.
  [[nodiscard]] bool is_same() const noexcept;

  /// A moment there as it is read here.
  [[nodiscard]] BoundedTime here(std::int64_t there) const noexcept;
  /// When it was there that time here.
  [[nodiscard]] std::int64_t there(std::int64_t here) const noexcept;
  /// From there to where `onward` leads from here: offsets and drifts add up, and so do bounds.
  [[nodiscard]] ClockRelation then(const ClockRelation& onward) const noexcept;
  /// Of times that went through here(): they are of the clock here, and as far off as before.
  [[nodiscard]] ClockRelation of_times_here() const noexcept;

  /// Makes the bound hold also of times that went through here() by `other` instead of by this.
  void widen(const ClockRelation& other) noexcept;

  friend bool operator==(const ClockRelation&, const ClockRelation&) = default;

 private:
  [[nodiscard]] std::int64_t spread(std::int64_t there) const noexcept;
};

}  // namespace eventspace
