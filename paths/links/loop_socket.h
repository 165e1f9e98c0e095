#pragma once

// Private to paths/.
// A ZeroMQ socket as a loop uses it that waits for several things at once.

#include <chrono>
#include <cstddef>
#include <vector>
#include <zmq.hpp>

namespace eventspace {

/// A ZeroMQ socket that is never waited for by itself: sends and receives return at once, and the loop waits
/// for all that it serves with one InputPoll.
///
/// The descriptor of such a socket becomes readable when there is news, but each call of ZeroMQ on the socket
/// may read the news off. So before a wait, the socket is to be asked, which takes a call of the system; not
/// so after a receive that found nothing, when only the descriptor can tell of more.
class LoopSocket {
 public:
  LoopSocket(zmq::context_t& context, zmq::socket_type type)
      : socket_(context, type), descriptor_(socket_.get(zmq::sockopt::fd)) {
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(soon.count()));
  }

  /// Whether there was a frame.
  bool receive(zmq::message_t& frame);
  /// The same, but waits for one, for `soon` at most: for a loop that has nothing else to look at for so
  /// long, with fewer calls of the system than any other wait takes.
  bool receive_soon(zmq::message_t& frame);
  /// Shorter waits cost more: a timer that is due sooner than the system's own next one has to be set.
  static constexpr std::chrono::milliseconds soon{5};
  /// Whether the frame was accepted. Throws zmq::error_t, see zmq_msg_send.
  bool send(zmq::const_buffer frame, zmq::send_flags more = zmq::send_flags::none);
  /// The same for a last frame that is handed over: a large one is not copied.
  bool send(std::vector<std::byte> frame);

  /// Whether a receive found nothing, and no other call followed: only then the descriptor tells of the next
  /// message in any case.
  [[nodiscard]] bool is_drained() const noexcept { return drained_; }
  /// Whether one of `events` (ZMQ_POLLIN, ZMQ_POLLOUT) is there; if not, the descriptor tells when it may be.
  [[nodiscard]] bool is_ready(short events);
  /// Whether a receive may find something; asks the system, but not ZeroMQ, if it has to.
  [[nodiscard]] bool may_have_input() const noexcept;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// For both ends of a TCP connection: a host that vanished without a word is noticed after a minute and a
  /// half of silence. A process that is merely stopped is not: its kernel answers. (Of what was sent to the
  /// vanished host last, the kernel waits for the receipt itself, a quarter of an hour; ZMQ_TCP_MAXRT would
  /// shorten that, but ends connections to stopped processes too.)
  void notice_vanished_hosts();

  /// For other options, bind and connect. These may read news off: the next wait asks.
  [[nodiscard]] zmq::socket_t& zmq() noexcept {
    drained_ = false;
    return socket_;
  }

 private:
  zmq::socket_t socket_;
  int descriptor_;
  bool drained_{false};  // since then, only the descriptor can tell of input
};

}  // namespace eventspace
