#pragma once

// ZeroMQ sockets in event loops.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>
#include <zmq.hpp>

namespace eventspace {

/// A ZeroMQ socket for an event loop: sends and receives return at once, and the loop waits for all its
/// sockets with one InputPoll. Used by one thread.
///
/// The descriptor of a ZeroMQ socket becomes readable at an event, but any ZeroMQ call on the socket may
/// consume that readability. So a loop must query the socket before it waits for the descriptor, which takes
/// a system call, except when the last call was a receive that found nothing (is_drained).
class LoopSocket {
 public:
  LoopSocket(zmq::context_t& context, zmq::socket_type type)
      : socket_(context, type), descriptor_(socket_.get(zmq::sockopt::fd)) {
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(soon.count()));
  }

  /// Receives one frame, if available; returns whether there was one.
  bool receive(zmq::message_t& frame);
  /// Like receive, but blocks for `soon` at most until there is a frame. For loops that need not check
  /// anything else in that time: it takes fewer system calls than any other wait.
  bool receive_soon(zmq::message_t& frame);
  /// Shorter waits cost more: the kernel must set a timer that is due before its next regular tick.
  static constexpr std::chrono::milliseconds soon{5};
  /// Sends one frame; returns whether ZeroMQ accepted it. Throws zmq::error_t, see zmq_msg_send(3).
  bool send(zmq::const_buffer frame, zmq::send_flags more = zmq::send_flags::none);
  /// The bytes of large frames sent with this account that ZeroMQ still holds: increased by send(), decreased
  /// by ZeroMQ's thread when it has passed them on or dropped them.
  using Account = std::shared_ptr<std::atomic<std::size_t>>;
  /// Sends the last frame of a message without copying it if it is large, and keeps `account` (may be null).
  bool send(std::vector<std::byte> frame, const Account& account = nullptr);

  /// Whether the last call was a receive that found nothing. Only then is the descriptor certain to become
  /// readable at the next message.
  [[nodiscard]] bool is_drained() const noexcept { return drained_; }
  /// Whether one of `events` (ZMQ_POLLIN, ZMQ_POLLOUT) is possible now. If not, the descriptor becomes
  /// readable when it may be.
  [[nodiscard]] bool is_ready(short events);
  /// Whether a receive may find a frame. Takes at most one system call, and no ZeroMQ call.
  [[nodiscard]] bool may_have_input() const noexcept;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// Sets TCP keep-alive, to be used at both ends: a host that vanished is noticed after 90 s of silence. A
  /// stopped process is not mistaken for a vanished host, because its kernel answers. (If data was sent to
  /// the host after it vanished, the kernel retransmits for a quarter of an hour first; ZMQ_TCP_MAXRT would
  /// shorten that, but also ends connections to stopped processes.)
  void notice_vanished_hosts();

  /// The socket itself, to set options, bind and connect. Resets is_drained().
  [[nodiscard]] zmq::socket_t& zmq() noexcept {
    drained_ = false;
    return socket_;
  }

 private:
  zmq::socket_t socket_;
  int descriptor_;
  bool drained_{false};  // see is_drained
};

}  // namespace eventspace
