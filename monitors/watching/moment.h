#pragma once

// Private to monitors/.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// How long it was from one moment to another, and how far that can be off.
struct Difference {
  std::int64_t ns{0};
  std::int64_t error_ns{0};
  /// Whether it is known which of the two was first.
  [[nodiscard]] bool is_certain() const noexcept { return ns > error_ns || -ns > error_ns; }
  friend bool operator==(const Difference&, const Difference&) = default;
};

/// When something happened, on the one clock that all is compared on, and by the clock that read it: what one
/// clock read can be compared by that, more exactly than by estimates, which differ from pull to pull. So can
/// what processes of one node read, by that node's clock: how far it is off another's does not matter then.
struct Moment {
  static constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max() / 4;
  static constexpr std::uint32_t no_clock = std::numeric_limits<std::uint32_t>::max();

  std::int64_t ns{0};
  std::int64_t error_ns{0};  ///< unbounded: nothing is known of its distance to what another clock read
  std::uint32_t clock{no_clock};
  std::int64_t own_ns{0};  ///< by that clock, from a zero of its own
  /// By its node's clock, between two jumps that were noticed. Nothing: it is not known which one that is.
  struct OnNode {
    std::uint32_t node{0};   ///< by its number
    std::uint32_t jumps{0};  ///< of clocks on the way from there, so far
    std::int64_t ns{0};
    std::int64_t error_ns{0};
    friend bool operator==(const OnNode&, const OnNode&) = default;
  };
  std::optional<OnNode> on_node{};

  /// A reading of the clock of `process`, on the one of whoever holds the view. `node`: whose clock the
  /// report has; nothing: it is not known.
  static Moment of(std::uint64_t ticks, const ProcessReport& process,
                   std::optional<std::uint32_t> node = {}) noexcept;

  [[nodiscard]] std::int64_t earliest() const noexcept;
  [[nodiscard]] std::int64_t latest() const noexcept;
  friend bool operator==(const Moment&, const Moment&) = default;
};

/// From `a` to `b`; negative when `b` was first. Between readings of one clock the error is what that one can
/// run wrong by meanwhile, which is `same_clock_ppm`, and the rounding; between those of one node it is how
/// far both can be off that node's clock, and the same of that clock. Else it is both errors together.
[[nodiscard]] Difference between(const Moment& a, const Moment& b) noexcept;
inline constexpr double same_clock_ppm = 500;
/// So many differences between readings of one clock, added up.
[[nodiscard]] Difference same_clock_sum(double ns, std::uint64_t count) noexcept;

/// The earliest first; by the clock that read them all, if one did.
void sort_by_time(std::vector<Moment>& moments);
[[nodiscard]] bool are_of_one_clock(const std::vector<Moment>& moments) noexcept;

}  // namespace eventspace
