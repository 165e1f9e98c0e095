#pragma once

// The packets and the filter by which measure_clock_skew() (include/eventspace/stream_network.h) measures
// through a tree.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <eventspace/packet.h>
#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>

namespace eventspace::streams::skew {

/// The request of a packet that goes down.
enum class Phase : std::uint8_t {
  local = 1,  ///< the times at which each process gets this packet and answers it
  sum,        ///< the sums of the measurements on the way
  direct      ///< a back-end's clock, with no process in between
};

inline constexpr std::string_view name = "clock_skew";

/// Down: the name above, and the phase.
using Question = Format<std::string_view, std::uint8_t>;
/// Up, in Phase::local: the times when the sender received the question and when it sent this answer, by its
/// clock, in nanoseconds.
using Times = Format<std::int64_t, std::int64_t>;
/// Up, in Phase::sum: back-ends by rank, how far their clocks are ahead of the sender's, and the bounds of
/// the errors, in nanoseconds.
using Sums =
    Format<std::span<const std::uint32_t>, std::span<const std::int64_t>, std::span<const std::int64_t>>;
/// Up, in Phase::direct: the back-end's rank and clock.
using Reading = Format<std::uint32_t, std::int64_t>;

/// Reads the clock of a process, in nanoseconds.
using ReadClock = std::function<std::int64_t(const FilterPlace& place)>;

/// The filter, for both directions of one stream with Synchronise::wait_for_all or time_out.
[[nodiscard]] FilterInfo filter(std::string name, ReadClock clock);

/// The time of day, which differs from host to host.
[[nodiscard]] std::int64_t time_of_day();

}  // namespace eventspace::streams::skew
