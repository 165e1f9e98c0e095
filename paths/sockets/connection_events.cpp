#include "paths/sockets/connection_events.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <string>

#include <eventspace/error.h>

namespace eventspace {
namespace {

// Not derived from the socket's address in memory: a new socket may get that address before ZeroMQ has
// released the old socket's name.
std::string fresh_address() {
  static std::atomic<std::uint64_t> last{0};
  return fmt::format("inproc://connections-{}", last.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace

ConnectionEvents::ConnectionEvents(zmq::context_t& context, LoopSocket& watched, int events)
    : watched_(watched.zmq().handle()), events_(context, zmq::socket_type::pair) {
  const std::string address = fresh_address();
  if (zmq_socket_monitor(watched_, address.c_str(), events) != 0)
    throw EnvironmentError(fmt::format("cannot watch connections: {}", zmq_strerror(zmq_errno())));
  events_.zmq().set(zmq::sockopt::linger, 0);
  events_.zmq().set(zmq::sockopt::rcvhwm, 0);
  events_.zmq().connect(address);
}

// Ends the monitor before its receiving socket closes: ZeroMQ's I/O thread would wait for another receiver.
ConnectionEvents::~ConnectionEvents() { zmq_socket_monitor(watched_, nullptr, 0); }

// An event has two frames: its kind (16 bits) with its value (32 bits), and an address, which is skipped.
std::optional<ConnectionEvents::Event> ConnectionEvents::next() {
  if (!events_.may_have_input()) return std::nullopt;
  zmq::message_t frame;
  while (events_.receive(frame)) {
    Event event;
    if (!frame.more() || frame.size() != sizeof event.kind + sizeof event.value) continue;
    std::memcpy(&event.kind, frame.data(), sizeof event.kind);
    std::memcpy(&event.value, frame.data<char>() + sizeof event.kind, sizeof event.value);
    return event;
  }
  return std::nullopt;
}

}  // namespace eventspace
