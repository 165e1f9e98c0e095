#include "paths/connection_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "paths/zmq_calls.h"

namespace eventspace {

ConnectionWatch::ConnectionWatch(zmq::context_t& context, zmq::socket_t& listener)
    : events_(context, zmq::socket_type::pair) {
  const std::string address = fmt::format("inproc://connections-{}", listener.handle());
  const int events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                     ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
  if (zmq_socket_monitor(listener.handle(), address.c_str(), events) == 0) events_.connect(address);
}

// Each is two frames: the event (16 bits) with its value (32 bits), and an address.
ConnectionWatch::News ConnectionWatch::read() {
  News news;
  zmq::message_t frame;
  while (receive_now(events_, frame)) {
    std::uint16_t event = 0;
    std::int32_t value = 0;
    if (!frame.more() || frame.size() != sizeof event + sizeof value) continue;
    std::memcpy(&event, frame.data(), sizeof event);
    std::memcpy(&value, frame.data<char>() + sizeof event, sizeof value);
    note(event, value, news);
  }
  return news;
}

void ConnectionWatch::note(std::uint16_t event, int descriptor, News& news) {
  switch (event) {
    case ZMQ_EVENT_ACCEPTED:
      in_handshake_.push_back(descriptor);
      return;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      if (!in_handshake_.empty()) in_handshake_.pop_back();
      return;
    case ZMQ_EVENT_DISCONNECTED: {
      const bool refused = forget(descriptor) || failed_;
      failed_ = false;
      ++(refused ? news.refused : news.left);
      return;
    }
    default:
      failed_ = true;
  }
}

bool ConnectionWatch::forget(int descriptor) { return std::erase(in_handshake_, descriptor) > 0; }

}  // namespace eventspace
