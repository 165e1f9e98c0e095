#pragma once

// Private to paths/: ZeroMQ's calls as the loops here want them.

#include <cerrno>
#include <zmq.hpp>

namespace eventspace {

/// `call`, again for as long as a signal that the application handles interrupts it.
template <class Call>
auto through_signals(Call call) {
  while (true) {
    try {
      return call();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }
}

/// For both ends of a TCP connection: a host that vanished without a word is noticed after a minute and a
/// half of silence. A process that is merely stopped is not: its kernel answers. (Of what was sent to the
/// vanished host last, the kernel waits for the receipt itself, a quarter of an hour; ZMQ_TCP_MAXRT would
/// shorten that, but ends connections to stopped processes too.)
inline void notice_vanished_hosts(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::tcp_keepalive_idle, 30);
  socket.set(zmq::sockopt::tcp_keepalive_intvl, 10);
  socket.set(zmq::sockopt::tcp_keepalive_cnt, 6);
}

/// Whether there was a frame; never waits.
inline bool receive_now(zmq::socket_t& socket, zmq::message_t& frame) {
  return through_signals([&] { return socket.recv(frame, zmq::recv_flags::dontwait).has_value(); });
}

/// Whether the frame was accepted; never waits.
inline bool send_now(zmq::socket_t& socket, zmq::const_buffer frame,
                     zmq::send_flags more = zmq::send_flags::none) {
  return through_signals([&] { return socket.send(frame, more | zmq::send_flags::dontwait).has_value(); });
}

}  // namespace eventspace
