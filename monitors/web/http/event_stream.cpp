#include "monitors/web/http/event_stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

namespace eventspace::web {

namespace beast = boost::beast;

EventStream::EventStream(SocketStream stream, Hub& hub, Reply reply)
    : stream_(std::move(stream)), hub_(&hub), reply_(std::move(reply)), heartbeat_(stream_.get_executor()) {
  ++hub.connections;
}

EventStream::~EventStream() { --hub_->connections; }

void EventStream::start() {
  stream_.expires_never();
  read();
  wait_for_heartbeat();
  pump();
}

void EventStream::pump() {
  if (is_writing_ || is_over_) return;
  batch_ = reply_.feed->take();
  if (!batch_.empty()) write();
}

void EventStream::write() {
  std::vector<boost::asio::const_buffer> buffers;
  for (const SharedText& text : batch_) buffers.emplace_back(boost::asio::buffer(*text));
  is_writing_ = true;
  stream_.expires_after(hub_->limits.write_time);
  boost::asio::async_write(stream_, buffers,
                           [self = shared_from_this()](beast::error_code error, std::size_t /*size*/) {
                             self->is_writing_ = false;
                             if (error) return self->end();
                             self->pump();
                           });
}

// A page sends nothing here; the end of the connection is noticed by reading.
void EventStream::read() {
  stream_.async_read_some(boost::asio::buffer(input_),
                          [self = shared_from_this()](beast::error_code error, std::size_t /*size*/) {
                            if (error) return self->end();
                            self->read();
                          });
}

void EventStream::wait_for_heartbeat() {
  heartbeat_.expires_after(hub_->limits.heartbeat_time);
  heartbeat_.async_wait([weak = weak_from_this()](beast::error_code error) {
    const auto self = weak.lock();
    if (self != nullptr && !error && !self->is_over_) self->beat();
  });
}

void EventStream::beat() {
  if (!hub_->gate->keep(reply_.cookie, std::chrono::steady_clock::now())) return end();
  if (!is_writing_) {
    static const SharedText comment = share(": alive\n\n");
    batch_ = {comment};
    write();
  }
  wait_for_heartbeat();
}

void EventStream::end() {
  is_over_ = true;
  heartbeat_.cancel();
  reply_ = {};  // gives the place back
  beast::error_code ignored;
  stream_.socket().close(ignored);
}

}  // namespace eventspace::web
