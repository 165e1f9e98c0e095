#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "scopes/streams/child_links.h"
#include "scopes/streams/holding.h"
#include "scopes/streams/node_stream.h"
#include "scopes/streams/parent_link.h"

namespace eventspace::streams {

/// The links of a process, and the end-points below it.
struct NodeLinks {
  ParentLink parent;
  ChildLinks children{};
  EndPointsBelow below{};
};

/// The streams of one process by their numbers, and the user's end of them: a front-end opens streams, sends
/// packets down and takes those that come up; a back-end takes those that come down and sends packets up.
///
/// Invariants:
/// 1. At most max_streams are open. A front-end never uses a number again.
/// 2. A stream has a turn (UserTurns) if and only if it has packets for the user.
///
/// Functions with an unknown number do nothing. Not thread-safe. Never blocks, except in filters.
class StreamTable {
 public:
  using Clock = NodeStream::Clock;
  using Streams = std::map<std::uint32_t, NodeStream>;
  static constexpr std::size_t max_streams = 4096;

  /// Called for a child that is too slow for a stream (WhenFull::disconnect); removes it from all streams.
  using OnSlow = std::function<void(Child child, const std::string& why)>;
  /// `links` must outlive this object.
  StreamTable(NodeLinks& links, OnSlow on_slow) : links_(links), on_slow_(std::move(on_slow)) {}
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  // --- in a front-end

  /// Opens a stream and returns its number. Throws ConfigurationError for invalid options, or too many
  /// streams.
  std::uint32_t open(const StreamOptions& options);
  /// Changes the members of a stream. Previous members continue with their next wave; packets of removed
  /// members still take part in their waves. Returns false if the stream does not exist.
  bool set_members(std::uint32_t stream, const RankSet& members);
  /// Begins to replace the filters of a stream, see FilterChange. Returns false if the stream does not exist.
  /// Throws ConfigurationError, without effect, for filters that cannot be made, or if too many changes are
  /// in progress.
  bool begin_change(std::uint32_t stream, const std::vector<FilterUse>& up,
                    const std::vector<FilterUse>& down);
  /// Whether all processes have answered, or one of them cannot make the filters.
  [[nodiscard]] bool has_answers(std::uint32_t stream) const;
  /// Completes the change. If all processes agree, the new filters are used from a wave on, whose number is
  /// returned. Otherwise all continue with the old ones: throws ConfigurationError if a process cannot make
  /// the new filters; returns nullopt if not all have answered.
  std::optional<std::uint64_t> end_change(std::uint32_t stream);
  void drop_unanswered_change(std::uint32_t stream);  ///< all continue with the old filters

  // --- in a front-end or back-end

  /// Sends a packet: from a front-end down, to `packet.ranks` of the stream or all; from a back-end up.
  /// Returns false, without effect, if there is no room (WhenFull::wait) or the stream does not exist. Throws
  /// PacketError for a packet that is too large. A back-end's packet gets the number `answers` or, without
  /// it, the next number of the stream there; numbers ascend.
  [[nodiscard]] bool send(std::uint32_t stream, Packet packet,
                          std::optional<std::uint64_t> answers = std::nullopt);
  /// The next packet of a stream, or of any.
  [[nodiscard]] std::optional<Received> take(std::optional<std::uint32_t> stream);
  /// The streams with packets for the user, in turn.
  [[nodiscard]] std::vector<std::uint32_t> with_packets() const {
    return {turns_.streams().begin(), turns_.streams().end()};
  }
  [[nodiscard]] bool has_packets() const noexcept { return !turns_.empty(); }
  /// Reports to the front-end that a function of the user has refused a packet; in the front-end, to its
  /// user.
  void report_handler_fault(std::uint32_t stream, std::uint64_t wave, const std::string& why);

  // --- in each process

  void close(std::uint32_t stream);
  [[nodiscard]] bool has_stream(std::uint32_t stream) const { return streams_.contains(stream); }
  /// The members and current filters of a stream; null if the stream does not exist.
  [[nodiscard]] const StreamOptions* options(std::uint32_t stream) const;
  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;
  [[nodiscard]] std::vector<StreamReport> report() const;  ///< of all streams

  // --- for the links

  /// Adds a stream that the parent has opened. Throws the error of a filter that cannot be made.
  void add(std::uint32_t number, const StreamOptions& options, std::uint64_t next_wave,
           std::uint32_t generation);
  [[nodiscard]] bool is_full() const noexcept { return streams_.size() >= max_streams; }
  /// Null if the stream does not exist.
  [[nodiscard]] NodeStream* find(std::uint32_t stream);
  [[nodiscard]] Streams& all() noexcept { return streams_; }
  [[nodiscard]] const Streams& all() const noexcept { return streams_; }
  /// A new parent has opened all its streams again: closes the others. Waves continue, as a change of filters
  /// may have ended.
  void keep_confirmed();
  /// Disconnects children that are too slow for a stream.
  void drop_slow(std::uint32_t stream, const std::vector<Child>& slow);
  [[nodiscard]] Holding& holding() noexcept { return holding_; }
  [[nodiscard]] const Holding& holding() const noexcept { return holding_; }

 private:
  NodeLinks& links_;
  OnSlow on_slow_;
  UserTurns turns_;  // the streams' queues refer to it
  Streams streams_;
  std::uint32_t next_stream_{1};
  Holding holding_;
};

}  // namespace eventspace::streams
