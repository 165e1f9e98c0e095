#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "paths/views/rank_set.h"
#include "scopes/streams/filters/filter.h"
#include "scopes/streams/filters/synchronisation.h"

namespace eventspace::streams {

/// What a process does with a packet for a link that has no room for it, because the process at the other end
/// is slower.
enum class WhenFull : std::uint8_t {
  wait,         ///< it waits, and so does the sender; nothing is lost
  drop_oldest,  ///< the packet that has waited longest is dropped and counted
  drop_newest,  ///< this packet is dropped and counted
  disconnect  ///< the child is told that it is too slow, and is no longer part of the network: those below it
              ///< have left. On the way up, where there is no child to disconnect, like drop_newest
};

/// A stream, as the front-end opens it.
struct StreamOptions {
  /// The end-points. Empty: all of the network, also those that join later.
  RankSet members{};
  Synchronise synchronise{Synchronise::wait_for_all};
  /// Of Synchronise::time_out, in the front-end. Each level below waits a quarter less long than the one
  /// above it, so that a wave that is missing some packets comes up in time.
  std::chrono::nanoseconds time_out{std::chrono::seconds(1)};
  /// With Synchronise::rule: the rule (filters/wave_rule.h).
  FilterUse rule{};
  /// Filters that combine packets on the way up and down, in this order. Without any, packets go through as
  /// they are.
  std::vector<FilterUse> up{};
  std::vector<FilterUse> down{};
  WhenFull when_full{WhenFull::wait};
  /// How many packets may wait for one link. Each process holds at most so many for each of its links.
  std::uint32_t window{64};

  static constexpr std::uint32_t most_window = 65536;
  static constexpr std::size_t most_filters = 16;  ///< in each direction
};

/// Counts of one process for one stream.
struct StreamCounters {
  std::uint64_t received{0};       ///< packets from children and parent
  std::uint64_t sent{0};           ///< packets to children and parent, or to the user
  std::uint64_t dropped{0};        ///< by WhenFull
  std::uint64_t late{0};           ///< their wave had gone, see Synchronisation
  std::uint64_t refused{0};        ///< from peers that did not keep to their credit
  std::uint64_t waves{0};          ///< waves passed on
  std::uint64_t partial_waves{0};  ///< those of them with end-points missing
  std::uint64_t faults{0};         ///< waves lost as a filter refused them
};

}  // namespace eventspace::streams
