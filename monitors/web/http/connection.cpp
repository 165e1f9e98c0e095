#include "monitors/web/http/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <utility>

#include "monitors/web/http/event_stream.h"

namespace eventspace::web {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

unsigned status_of(beast::error_code error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit) return 413;
  return 400;
}

std::string_view text_of(unsigned status) {
  if (status == 431) return "The header of the request is too large.\n";
  if (status == 413) return "The body of the request is too large.\n";
  return "This is not a request of HTTP.\n";
}

}  // namespace

Connection::Connection(SocketStream stream, Hub& hub, bool by_socket, bool is_refused)
    : stream_(std::move(stream)), hub_(&hub), by_socket_(by_socket), is_refused_(is_refused) {
  // The parser limits the size of a request; this limits the buffer.
  buffer_.max_size(hub.limits.header_bytes + std::size_t{64} * 1024);
  ++(is_refused ? hub.refused : hub.connections);
}

Connection::~Connection() { --(is_refused_ ? hub_->refused : hub_->connections); }

void Connection::start() {
  if (is_refused_) return send({.status = 503, .text = share("Too many connections.\n")}, false);
  read_request();
}

// The browser may send the next request within the idle time; once it begins, the request's own time counts.
void Connection::wait_for_request() {
  if (buffer_.size() > 0) return read_request();
  stream_.expires_after(hub_->limits.idle_time);
  constexpr std::size_t first_read = 4096;
  stream_.async_read_some(buffer_.prepare(first_read),
                          [self = shared_from_this()](beast::error_code error, std::size_t size) {
                            if (error) return self->end();
                            self->buffer_.commit(size);
                            self->read_request();
                          });
}

void Connection::read_request() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(hub_->limits.header_bytes));
  parser_->body_limit(hub_->limits.body_bytes);
  stream_.expires_after(hub_->limits.request_time);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](beast::error_code error, std::size_t /*size*/) {
                     self->take_request(error);
                   });
}

void Connection::take_request(beast::error_code error) {
  const bool is_fault = error && error.category() == make_error_code(http::error::bad_method).category() &&
                        error != http::error::end_of_stream && error != http::error::partial_message;
  if (is_fault) {
    const unsigned status = status_of(error);
    return send({.status = status, .text = share(std::string(text_of(status)))}, false);
  }
  if (error) return end();  // gone, or too slow
  const bool keeps = parser_->get().keep_alive();
  send(hub_->gate->answer(arrived(), std::chrono::steady_clock::now()), keeps);
}

ArrivedRequest Connection::arrived() const {
  const auto& message = parser_->get();
  const auto text = [](beast::string_view view) { return std::string(view.data(), view.size()); };
  ArrivedRequest request{.method = text(message.method_string()),
                         .target = text(message.target()),
                         .fields = {},
                         .body = message.body(),
                         .by_socket = by_socket_};
  for (const auto& field : message)
    request.fields.emplace_back(text(field.name_string()), text(field.value()));
  return request;
}

void Connection::send(Reply reply, bool keeps_connection) {
  reply_ = std::move(reply);
  keeps_connection_ = keeps_connection && reply_.feed == nullptr;
  response_.emplace();
  fill_response();
  serializer_.emplace(*response_);
  stream_.expires_after(hub_->limits.write_time);
  const auto done = [self = shared_from_this()](beast::error_code error, std::size_t /*size*/) {
    if (error) return self->end();
    self->sent();
  };
  if (reply_.feed != nullptr) {
    http::async_write_header(stream_, *serializer_, done);
  } else {
    http::async_write(stream_, *serializer_, done);
  }
}

void Connection::fill_response() {
  const auto view = [](std::string_view text) { return beast::string_view(text.data(), text.size()); };
  response_->result(reply_.status);
  response_->version(11);
  response_->set(http::field::content_type, view(reply_.type));
  for (const auto& [name, value] : fields_of_every_answer()) response_->set(view(name), view(value));
  for (const auto& [name, value] : reply_.fields) response_->set(view(name), value);
  response_->keep_alive(keeps_connection_);
  if (reply_.feed != nullptr) return;  // the end of a stream is the end of the connection
  const std::string_view body = reply_.text != nullptr ? std::string_view(*reply_.text) : reply_.asset;
  response_->body() = {body.data(), body.size()};
  response_->content_length(body.size());
}

void Connection::sent() {
  if (reply_.feed != nullptr) return begin_stream();
  if (!keeps_connection_) {
    beast::error_code ignored;
    stream_.socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
    constexpr std::size_t most = std::size_t{256} * 1024;
    return drain(most);
  }
  reply_ = {};
  wait_for_request();
}

void Connection::begin_stream() {
  const auto stream = std::make_shared<EventStream>(std::move(stream_), *hub_, std::move(reply_));
  hub_->streams.push_back(stream);
  stream->start();
}

void Connection::end() {
  beast::error_code ignored;
  stream_.socket().close(ignored);
}

// Closing a socket with unread bytes would reset the connection, and the browser could lose the answer.
void Connection::drain(std::size_t most) {
  buffer_.clear();
  stream_.expires_after(std::chrono::seconds(1));
  constexpr std::size_t piece = std::size_t{16} * 1024;
  stream_.async_read_some(buffer_.prepare(piece),
                          [self = shared_from_this(), most](beast::error_code error, std::size_t size) {
                            if (error || size >= most) return self->end();
                            self->drain(most - size);
                          });
}

}  // namespace eventspace::web
