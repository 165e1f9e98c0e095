#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "paths/views/rank_set.h"
#include "scopes/streams/filters/filter.h"
#include "scopes/streams/filters/synchronisation.h"

namespace eventspace::streams {

/// The reaction of a process to a packet for a link that is full, because the process at the other end is
/// slower.
enum class WhenFull : std::uint8_t {
  wait,         ///< the packet waits, and so does the sender; nothing is lost
  drop_oldest,  ///< the oldest queued packet is dropped and counted
  drop_newest,  ///< this packet is dropped and counted
  disconnect    ///< the child is told that it is too slow, and is removed from the network with the processes
                ///< below it. On the way up, where a child cannot be disconnected, like drop_newest
};
[[nodiscard]] std::string_view to_string(WhenFull when_full) noexcept;
[[nodiscard]] std::string_view to_string(Synchronise synchronise) noexcept;

/// Which process adopts processes whose parent is lost.
enum class Adoption : std::uint8_t {
  ancestor,  ///< the nearest living process above
  sibling    ///< a sibling of the lost parent, so that no process above gets many children; else as
             ///< `ancestor`
};

/// The options of a stream, with which the front-end opens it.
struct StreamOptions {
  /// The end-points. Empty: all back-ends of the network, also those that join later.
  RankSet members{};
  Synchronise synchronise{Synchronise::wait_for_all};
  /// For Synchronise::time_out: the time-out in the front-end. Each level below waits for three quarters of
  /// the time of the level above it, so that an incomplete wave comes up in time.
  std::chrono::nanoseconds time_out{std::chrono::seconds(1)};
  /// With Synchronise::rule: the rule (filters/wave_rule.h).
  FilterUse rule{};
  /// Filters that combine packets on the way up and down, in this order. Without filters, packets are
  /// forwarded unchanged.
  std::vector<FilterUse> up{};
  std::vector<FilterUse> down{};
  WhenFull when_full{WhenFull::wait};
  /// Limits for the number and the bytes of packets that are queued for one link. Each process holds up to
  /// this number for each of its links, and up to one packet more than this number of bytes.
  std::uint32_t window{256};
  std::uint64_t window_bytes{8u << 20};

  static constexpr std::uint32_t max_window = 65536;
  static constexpr std::uint64_t max_window_bytes = 1u << 30;
  static constexpr std::size_t max_filters = 16;  ///< in each direction
};

/// Counts of one process for one stream.
struct StreamCounters {
  std::uint64_t received{0};        ///< packets from children and parent
  std::uint64_t sent{0};            ///< packets to children and parent, or to the user
  std::uint64_t received_bytes{0};  ///< bodies of those packets
  std::uint64_t sent_bytes{0};
  std::uint64_t dropped{0};           ///< by WhenFull
  std::uint64_t late{0};              ///< dropped because their wave was passed on, see Synchronisation
  std::uint64_t refused{0};           ///< from peers that exceeded their credit
  std::uint64_t waves{0};             ///< waves passed on
  std::uint64_t partial_waves{0};     ///< waves with missing end-points
  std::uint64_t faults{0};            ///< waves lost because a filter refused them
  std::uint64_t synchronising_ns{0};  ///< total waiting time of waves, each from its first packet on

  void count_received(std::uint64_t bytes) noexcept {
    ++received;
    received_bytes += bytes;
  }
  void count_sent(std::uint64_t bytes) noexcept {
    ++sent;
    sent_bytes += bytes;
  }
};

}  // namespace eventspace::streams
