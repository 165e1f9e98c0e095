#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <memory>
#include <optional>

#include "monitors/web/http/gate.h"
#include "monitors/web/http/limits.h"

namespace eventspace::web {

/// A connected socket with a deadline for each read and write, of TCP or local.
using SocketStream = boost::beast::basic_stream<boost::asio::generic::stream_protocol>;

class EventStream;

/// The state that the connections of a server share. Used by the server's thread only.
struct Hub {
  Gate* gate{nullptr};
  Limits limits{};
  std::size_t connections{0};  ///< that may send requests
  std::size_t refused{0};      ///< that get 503
  std::vector<std::weak_ptr<EventStream>> streams{};
};

/// A connection of a browser: reads requests one after the other and sends the answers of the gate. An
/// answer with a feed hands the socket to an EventStream. Keeps itself alive by the operation under way; each
/// operation has a deadline. Used by the server's thread only.
///
///     request ---> answer ---> request (the browser keeps the connection)
///        |            |-----> EventStream
///        |            \-----> last answer ---> drain ---> closed
///        \--- silence, or half a request at its deadline ---> closed
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `hub` must outlive it.
  Connection(SocketStream stream, Hub& hub, bool by_socket, bool is_refused);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Body = boost::beast::http::span_body<const char>;

  void wait_for_request();
  void read_request();
  void take_request(boost::beast::error_code error);
  [[nodiscard]] ArrivedRequest arrived() const;
  void send(Reply reply, bool keeps_connection);
  void fill_response();
  void sent();
  void begin_stream();
  void end();
  void drain(std::size_t most);

  SocketStream stream_;
  Hub* hub_;
  bool by_socket_;
  bool is_refused_;
  bool keeps_connection_{true};
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Reply reply_;
  std::optional<boost::beast::http::response<Body>> response_;
  std::optional<boost::beast::http::response_serializer<Body>> serializer_;
};

}  // namespace eventspace::web
