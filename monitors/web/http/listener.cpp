#include "monitors/web/http/listener.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/error.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include <eventspace/error.h>

namespace eventspace::web {

using boost::asio::ip::tcp;
using boost::beast::error_code;
namespace local = boost::asio::local;

namespace {

boost::asio::ip::address address_of(const std::string& text) {
  error_code error;
  auto address = boost::asio::ip::make_address(text, error);
  if (error) {
    throw ConfigurationError(fmt::format(
        "--bind: found '{}'; expected the number of an address of this machine, such as 127.0.0.1", text));
  }
  return address;
}

// Removes the file of a server that was killed. A server that runs accepts the connection.
void remove_stale(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_socket(file, ignored)) return;
  boost::asio::io_context context;
  local::stream_protocol::socket probe(context);
  error_code error;
  probe.connect(local::stream_protocol::endpoint(file.string()), error);
  if (error == boost::asio::error::connection_refused) std::filesystem::remove(file, ignored);
}

}  // namespace

Listener::Listener(boost::asio::io_context& context, const ServerSettings& settings, Hub& hub)
    : hub_(&hub), acceptor_(context), retry_(context), socket_(settings.socket) {
  if (socket_.empty()) {
    listen_at_port(settings);
  } else {
    listen_at_socket();
  }
}

Listener::~Listener() {
  std::error_code ignored;
  if (!socket_.empty()) std::filesystem::remove(socket_, ignored);
}

void Listener::listen_at_port(const ServerSettings& settings) {
  const tcp::endpoint endpoint(address_of(settings.address), settings.port);
  error_code error;
  acceptor_.open(Protocol(endpoint.protocol().family(), endpoint.protocol().protocol()), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error == boost::asio::error::address_in_use) {
    throw EnvironmentError(fmt::format(
        "port {} of {} is in use, perhaps by another `eventspace web`; choose another with --port, or "
        "leave --port out for a free one",
        settings.port, settings.address));
  }
  if (error) {
    throw EnvironmentError(
        fmt::format("cannot listen at port {} of {}: {}", settings.port, settings.address, error.message()));
  }
  tcp::endpoint bound;
  const auto generic = acceptor_.local_endpoint();
  bound.resize(generic.size());
  std::memcpy(bound.data(), generic.data(), generic.size());
  port_ = bound.port();
}

// Other users must not connect: the file gets its permissions before it accepts connections.
void Listener::listen_at_socket() {
  const std::filesystem::path file = std::exchange(socket_, {});  // removed only if it was made here
  constexpr std::size_t longest = 107;
  if (file.native().size() > longest)
    throw ConfigurationError(fmt::format("--socket: found a path of {} bytes; at most {} are possible",
                                         file.native().size(), longest));
  remove_stale(file);
  error_code error;
  acceptor_.open(Protocol(AF_UNIX, 0), error);
  if (!error) acceptor_.bind(local::stream_protocol::endpoint(file.string()), error);
  if (!error && ::chmod(file.c_str(), S_IRUSR | S_IWUSR) != 0)
    error.assign(errno, boost::system::system_category());
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error == boost::asio::error::address_in_use)
    throw EnvironmentError(
        fmt::format("{} exists; another server may use it: choose another path", file.string()));
  if (error) throw EnvironmentError(fmt::format("cannot listen at {}: {}", file.string(), error.message()));
  socket_ = file;
}

void Listener::accept() {
  acceptor_.async_accept([this](error_code error, Protocol::socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (!error) {
      take(SocketStream(std::move(socket)));
      return accept();
    }
    // This process may have no descriptor left.
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this](error_code stopped) {
      if (!stopped) accept();
    });
  });
}

void Listener::take(SocketStream stream) {
  constexpr std::size_t most_refused = 64;  // others are closed without an answer
  const bool is_refused = hub_->connections >= hub_->limits.connections;
  if (is_refused && hub_->refused >= most_refused) return;
  std::make_shared<Connection>(std::move(stream), *hub_, !socket_.empty(), is_refused)->start();
}

}  // namespace eventspace::web
