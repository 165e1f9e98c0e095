#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <vector>

#include "monitors/web/http/connection.h"

namespace eventspace::web {

/// Sends the events of a feed to one page for as long as the page is connected, its cookie is valid, and it
/// accepts each batch in time. Used by the server's thread only.
class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  /// `reply`: with a feed, whose header was sent. The stream counts as a connection.
  EventStream(SocketStream stream, Hub& hub, Reply reply);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  void start();
  /// Sends the events that the page does not have, unless earlier ones are still being sent: their end calls
  /// this function again.
  void pump();

 private:
  void write();
  void read();
  void wait_for_heartbeat();
  void beat();
  void end();

  SocketStream stream_;
  Hub* hub_;
  Reply reply_;
  boost::asio::steady_timer heartbeat_;
  std::vector<SharedText> batch_;
  std::array<char, 256> input_{};
  bool is_writing_{false};
  bool is_over_{false};
};

}  // namespace eventspace::web
