#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <eventspace/deadline.h>
#include "paths/links/network.h"
#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/events.h"
#include "scopes/streams/stream_options.h"

namespace eventspace::streams {

/// A back-end of a network of streams: an end-point, which receives packets from the front-end and sends
/// packets up.
///
///     BackEnd back_end(point, Deadline::after(10s));
///     while (const auto received = back_end.receive(Deadline::never())) {
///       back_end.send(received->stream, answer_to(received->packet), Deadline::never());
///     }
///
/// It works in the caller's thread. A process can have several back-ends, also of several networks; each is
/// used by one thread at a time.
class BackEnd {
 public:
  /// Attaches. Without `security`, the keys are read from the attach point's file, if it has one. Throws
  /// EnvironmentError with the reason if attaching is not possible until the deadline, and as
  /// AttachPoint::of_text does for a file without keys.
  BackEnd(const AttachPoint& point, Deadline deadline,
          std::shared_ptr<const SessionSecurity> security = nullptr);
  ~BackEnd();
  BackEnd(const BackEnd&) = delete;
  BackEnd& operator=(const BackEnd&) = delete;

  [[nodiscard]] RankSet::Rank rank() const;
  /// The next packet of any stream. Returns nullopt at the deadline, or when the network has ended.
  std::optional<Received> receive(Deadline deadline);
  /// The next packet of one stream.
  std::optional<Packet> receive(std::uint32_t stream, Deadline deadline);
  /// Passes packets of a stream, or of all streams without a function of their own, to `handle` instead. It
  /// is called in turns by functions of this object that wait. `handle` may call functions of this object,
  /// but those that wait only see later packets. An exception is reported to the front-end as an event
  /// (EventKind::fault); the network continues. Null: packets are queued again.
  void on_packet(std::function<void(const Received& received)> handle);
  void on_packet(std::uint32_t stream, std::function<void(const Received& received)> handle);
  /// A descriptor for the event loop of the program (poll(2), epoll(7)), valid as long as this object. It is
  /// readable when serve() or receive() with Deadline::now() has work to do: call one of them until there are
  /// no more packets, and wait again. It may be readable without need. Must not be read from. Throws
  /// EnvironmentError if the process has run out of descriptors.
  [[nodiscard]] int descriptor();
  /// Sends a packet up: the n-th packets of all back-ends form a wave. Blocks while there is no room
  /// (WhenFull::wait). Returns false, without sending, if there is no room until the deadline, the stream
  /// does not exist, or the network has ended.
  bool send(std::uint32_t stream, const Packet& packet, Deadline deadline);
  /// Sends the answer to a packet, as send() does. The answers of all back-ends to one packet of the
  /// front-end form one wave, even after a back-end has missed packets or has joined late. To be called once
  /// for each packet, and only in streams in which no back-end sends unasked. The answer leaves at once. Only
  /// if the caller answers without pause and more packets are queued, it leaves with the next answers.
  bool answer(const Received& received, const Packet& packet, Deadline deadline);
  /// Blocks until the stream is open here; returns whether it is. Only needed by back-ends that send before
  /// they have received a packet.
  bool wait_for(std::uint32_t stream, Deadline deadline);
  /// Serves the network until the deadline or its end.
  void serve(Deadline deadline);

  [[nodiscard]] bool has_ended() const noexcept;
  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
