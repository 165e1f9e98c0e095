#include "paths/sockets/loop_socket.h"

#include <poll.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <utility>

namespace eventspace {
namespace {

// Repeats `call` while signals that the application handles interrupt it.
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

/// The bytes of a message, freed by ZeroMQ's I/O thread once they are sent.
struct HandedOver {
  HandedOver(std::vector<std::byte> frame, LoopSocket::Account kept_in)
      : bytes(std::move(frame)), account(std::move(kept_in)) {
    if (account != nullptr) account->fetch_add(bytes.size(), std::memory_order_relaxed);
  }
  ~HandedOver() {
    if (account != nullptr) account->fetch_sub(bytes.size(), std::memory_order_relaxed);
  }
  HandedOver(const HandedOver&) = delete;
  HandedOver& operator=(const HandedOver&) = delete;

  std::vector<std::byte> bytes;
  LoopSocket::Account account;
  // Orders the two threads for ThreadSanitizer, which does not see ZeroMQ's locks.
  std::atomic<bool> whole{false};
};

void free_handed_over(void* /*data*/, void* hint) {
  const std::unique_ptr<HandedOver> frame(static_cast<HandedOver*>(hint));
  (void)frame->whole.load(std::memory_order_acquire);
}

zmq::message_t hand_over(std::vector<std::byte> bytes, const LoopSocket::Account& account) {
  auto frame = std::make_unique<HandedOver>(std::move(bytes), account);
  zmq::message_t message(frame->bytes.data(), frame->bytes.size(), free_handed_over, frame.get());
  frame.release()->whole.store(true, std::memory_order_release);
  return message;
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

bool LoopSocket::receive_soon(zmq::message_t& frame) {
  const bool received = through_signals([&] { return socket_.recv(frame).has_value(); });
  drained_ = !received;
  return received;
}

bool LoopSocket::send(zmq::const_buffer frame, zmq::send_flags more) {
  drained_ = false;
  return through_signals([&] { return socket_.send(frame, more | zmq::send_flags::dontwait).has_value(); });
}

bool LoopSocket::send(std::vector<std::byte> frame, const Account& account) {
  constexpr std::size_t copied_for_less = 1024;  // below this a copy is cheaper than an allocation
  if (frame.size() < copied_for_less) return send(zmq::buffer(frame));
  drained_ = false;
  zmq::message_t message = hand_over(std::move(frame), account);
  return through_signals([&] { return socket_.send(message, zmq::send_flags::dontwait).has_value(); });
}

bool LoopSocket::is_ready(short events) {
  if (drained_ && events == ZMQ_POLLIN) return false;
  return (through_signals([&] { return socket_.get(zmq::sockopt::events); }) & events) != 0;
}

bool LoopSocket::may_have_input() const noexcept {
  pollfd news{descriptor_, POLLIN, 0};
  return !drained_ || ::poll(&news, 1, 0) != 0;
}

}  // namespace eventspace
