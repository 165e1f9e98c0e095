#include "paths/loop_socket.h"

#include <cerrno>

namespace eventspace {
namespace {

// `call`, again for as long as a signal that the application handles interrupts it.
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

}  // namespace

void LoopSocket::notice_vanished_hosts() {
  socket_.set(zmq::sockopt::tcp_keepalive, 1);
  socket_.set(zmq::sockopt::tcp_keepalive_idle, 30);
  socket_.set(zmq::sockopt::tcp_keepalive_intvl, 10);
  socket_.set(zmq::sockopt::tcp_keepalive_cnt, 6);
}

bool LoopSocket::receive(zmq::message_t& frame) {
  const bool received =
      through_signals([&] { return socket_.recv(frame, zmq::recv_flags::dontwait).has_value(); });
  drained_ = !received;
  return received;
}

bool LoopSocket::send(zmq::const_buffer frame, zmq::send_flags more) {
  drained_ = false;
  return through_signals([&] { return socket_.send(frame, more | zmq::send_flags::dontwait).has_value(); });
}

bool LoopSocket::is_ready(short events) {
  if (drained_ && events == ZMQ_POLLIN) return false;
  return (through_signals([&] { return socket_.get(zmq::sockopt::events); }) & events) != 0;
}

int LoopSocket::descriptor() const { return socket_.get(zmq::sockopt::fd); }

}  // namespace eventspace
