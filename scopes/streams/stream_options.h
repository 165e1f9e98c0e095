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

/// What a process does with a packet for a link that has no room for it, because the process at the other end
/// is slower.
enum class WhenFull : std::uint8_t {
  wait,         ///< it waits, and so does the sender; nothing is lost
  drop_oldest,  ///< the packet that has waited longest is dropped and counted
  drop_newest,  ///< this packet is dropped and counted
  disconnect  ///< the child is told that it is too slow, and is no longer part of the network: those below it
              ///< have left. On the way up, where there is no child to disconnect, like drop_newest
};
[[nodiscard]] std::string_view to_string(WhenFull when_full) noexcept;
[[nodiscard]] std::string_view to_string(Synchronise synchronise) noexcept;

/// Which process takes those whose parent is lost.
enum class Adoption : std::uint8_t {
  ancestor,  ///< the nearest one above it that lives
  sibling    ///< another child of its parent, so that none above gets many children; or else as `ancestor`
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
  /// How many packets, and how many bytes of them, may wait for one link. Each process holds at most so many
  /// for each of its links, and one packet more than so many bytes.
  std::uint32_t window{256};
  std::uint64_t window_bytes{8u << 20};

  static constexpr std::uint32_t most_window = 65536;
  static constexpr std::uint64_t most_window_bytes = 1u << 30;
  static constexpr std::size_t most_filters = 16;  ///< in each direction
};

/// Counts of one process for one stream.
struct StreamCounters {
  std::uint64_t received{0};        ///< packets from children and parent
  std::uint64_t sent{0};            ///< packets to children and parent, or to the user
  std::uint64_t received_bytes{0};  ///< of the bodies of those packets
  std::uint64_t sent_bytes{0};
  std::uint64_t dropped{0};           ///< by WhenFull
  std::uint64_t late{0};              ///< their wave had gone, see Synchronisation
  std::uint64_t refused{0};           ///< from peers that did not keep to their credit
  std::uint64_t waves{0};             ///< waves passed on
  std::uint64_t partial_waves{0};     ///< those of them with end-points missing
  std::uint64_t faults{0};            ///< waves lost as a filter refused them
  std::uint64_t synchronising_ns{0};  ///< how long waves have waited, each from its first packet on

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
