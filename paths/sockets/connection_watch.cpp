#include "paths/sockets/connection_watch.h"

#include <utility>

#include "paths/sockets/input_poll.h"

namespace eventspace {
namespace {

constexpr int handshakes_and_ends = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED |
                                    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                    ZMQ_EVENT_CLOSED;

}  // namespace

ConnectionWatch::ConnectionWatch(zmq::context_t& context, LoopSocket& listener, Calls calls)
    : events_(context, listener, handshakes_and_ends), calls_(std::move(calls)) {}

ConnectionWatch::News ConnectionWatch::read() {
  News news;
  while (const auto event = events_.next()) note(*event, news);
  return news;
}

void ConnectionWatch::note(ConnectionEvents::Event event, News& news) {
  switch (event.kind) {
    case ZMQ_EVENT_ACCEPTED:
      in_handshake_.push_back(event.value);
      if (calls_.accepted) calls_.accepted(event.value);
      return;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      if (!in_handshake_.empty()) in_handshake_.pop_back();
      return;
    case ZMQ_EVENT_DISCONNECTED: {
      const bool refused = forget(event.value) || failed_;
      failed_ = false;
      ++(refused ? news.refused : news.left);
      if (calls_.ended) calls_.ended(event.value);
      return;
    }
    case ZMQ_EVENT_CLOSED:
      return;
    default:
      failed_ = true;
  }
}

void ConnectionWatch::await_close(std::chrono::milliseconds longest) {
  const Deadline until = Deadline::after(longest);
  while (!until.passed()) {
    while (const auto event = events_.next()) {
      if (event->kind == ZMQ_EVENT_CLOSED) return;
    }
    InputPoll poll;
    poll.add(events_.socket());
    poll.wait(time_until(until, longest));
  }
}

bool ConnectionWatch::forget(int descriptor) { return std::erase(in_handshake_, descriptor) > 0; }

}  // namespace eventspace
