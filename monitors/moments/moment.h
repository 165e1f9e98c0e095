#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// The time from one moment to another and its maximum error.
struct Difference {
  std::int64_t ns{0};
  std::int64_t error_ns{0};
  /// Whether the order of the two moments is certain.
  [[nodiscard]] bool is_certain() const noexcept { return ns > error_ns || -ns > error_ns; }
  friend bool operator==(const Difference&, const Difference&) = default;
};

/// When something happened: on the common clock, on the clock of the process that read it, and on the clock
/// of that process's node. Two readings of one clock are compared on that clock, because this is more exact
/// than the common clock, whose relation to it is estimated at each pull. Likewise, readings by processes of
/// one node are compared on the clock of the node.
struct Moment {
  static constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max() / 4;
  static constexpr std::uint32_t no_clock = std::numeric_limits<std::uint32_t>::max();

  std::int64_t ns{0};
  std::int64_t error_ns{0};  ///< unbounded: not comparable with readings of other clocks
  std::uint32_t clock{no_clock};
  std::int64_t own_ns{0};  ///< on that clock, with an origin of its own
  /// The moment on the clock of its node; nullopt if the node is unknown or its clock has jumped since.
  /// Moments on one node are comparable only if `jumps` is equal.
  struct OnNode {
    std::uint32_t node{0};   ///< the number of the node
    std::uint32_t jumps{0};  ///< jumps so far of the clocks on the way from the node
    std::int64_t ns{0};
    std::int64_t error_ns{0};
    friend bool operator==(const OnNode&, const OnNode&) = default;
  };
  std::optional<OnNode> on_node{};

  /// Converts `ticks` of the clock of `process` to the clock of the process that holds the view. `node`: the
  /// node to whose clock the report relates; nullopt: unknown.
  static Moment of(std::uint64_t ticks, const ProcessReport& process,
                   std::optional<std::uint32_t> node = {}) noexcept;

  [[nodiscard]] std::int64_t earliest() const noexcept;
  [[nodiscard]] std::int64_t latest() const noexcept;
  friend bool operator==(const Moment&, const Moment&) = default;
};

/// The time from `a` to `b`; negative when `b` was first. The error between readings of one process's clock
/// is its drift, at most `same_clock_ppm`, plus rounding. Between readings on one node it is the errors of
/// both relative to the clock of the node, plus the drift of that clock. Otherwise it is the sum of both
/// errors.
[[nodiscard]] Difference between(const Moment& a, const Moment& b) noexcept;
inline constexpr double same_clock_ppm = 500;
/// The sum `ns` of `count` differences, each between readings of one clock, with its error.
[[nodiscard]] Difference same_clock_sum(double ns, std::uint64_t count) noexcept;

/// Sorts the earliest first; on the clock that read all of them, if there is one.
void sort_by_time(std::vector<Moment>& moments);
[[nodiscard]] bool are_of_one_clock(const std::vector<Moment>& moments) noexcept;

}  // namespace eventspace
