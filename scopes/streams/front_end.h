#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "paths/links/network.h"
#include "scopes/streams/attach_point.h"
#include "scopes/streams/events.h"
#include "scopes/streams/stream_options.h"
#include "scopes/streams/topology.h"
#include "tuplespace/system/deadline.h"

namespace eventspace::streams {

/// The front-end of a network of streams. It starts the internal processes of its topology as threads of this
/// process and listens; back-ends attach.
///
///     FrontEnd front_end(Topology::of_text("8x8"));
///     // ... start 64 back-ends, each with front_end.attach_point(rank) ...
///     front_end.wait_for(64, Deadline::after(10s));
///     const std::uint32_t stream = front_end.open({.up = {{"max", {}}}});
///     front_end.send(stream, Format<std::int32_t>::make(tag, 0), Deadline::never());
///     const auto greatest = front_end.receive(stream, Deadline::after(1s));
///
/// A front-end has no thread of its own: it takes part in the network while one of its functions runs, and
/// while it does not, back-ends wait as soon as their streams have no room left.
///
/// Guarantees, for each stream: packets arrive in the order sent. Nothing is lost while all processes live,
/// except as WhenFull and time-outs say, which is counted. Each packet that the user receives names the
/// end-points that are missing in it.
///
/// Not thread-safe. Functions throw EnvironmentError or ConfigurationError.
class FrontEnd {
 public:
  struct Options {
    std::string name{};      ///< of the network; empty: a new one
    std::string endpoint{};  ///< where children of the front-end attach; empty: a local socket
    std::shared_ptr<const SessionSecurity> security{};
  };

  explicit FrontEnd(Topology topology, Options options);
  explicit FrontEnd(Topology topology);
  ~FrontEnd();  ///< ends the network
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const Topology& topology() const noexcept;
  /// Where the back-end of this rank attaches. Throws std::out_of_range for a rank that the topology lacks.
  [[nodiscard]] AttachPoint attach_point(RankSet::Rank rank) const;

  /// Blocks until so many back-ends are attached; returns whether they are.
  bool wait_for(std::size_t back_ends, Deadline deadline);
  [[nodiscard]] const RankSet& ranks() const noexcept;  ///< of the back-ends that are attached

  /// Opens a stream and returns its number. Its end-points learn of it before its first packet.
  std::uint32_t open(const StreamOptions& options);
  /// Ends a stream. Packets on their way are dropped.
  void close(std::uint32_t stream);

  /// Sends a packet down, to `packet.ranks` or to all end-points of the stream. Blocks while there is no room
  /// (WhenFull::wait). Returns false, and sends nothing, if there is none until the deadline, or no such
  /// stream. The packet leaves at once, unless the caller has just received one, and more wait for it or
  /// several waves of the stream are on the way: then it may leave with the next ones, when a function that
  /// receives or serves is called.
  bool send(std::uint32_t stream, const Packet& packet, Deadline deadline);
  /// The next packet of a stream; without a value at the deadline.
  std::optional<Packet> receive(std::uint32_t stream, Deadline deadline);
  /// The next packet of any stream; the streams take turns.
  std::optional<Received> receive(Deadline deadline);
  /// The next event; without a value if there is none.
  std::optional<Event> next_event();
  /// Takes part in the network until the deadline.
  void serve(Deadline deadline);

  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
