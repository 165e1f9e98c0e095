// The cost of an operation on an element of another process: over TCP on loopback, compared with a plain
// ZeroMQ round trip (DEALER to ROUTER and back) of the same number of bytes each way; and through a local
// socket, compared with TCP. Benchmarks are named FIGURE/ours and FIGURE/PEER.
#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/free_port.h"
#include "bench/interleaved.h"
#include "bench/plain_echo.h"
#include "paths/bodies/element_bodies.h"
#include "paths/element_stage.h"
#include "paths/path.h"
#include "paths/remote/remote_stage.h"
#include "paths/server/server.h"
#include "tuplespace/system/session_socket.h"

namespace eventspace::bench {
namespace {

const std::string session = fmt::format("bench-paths-{}", ::getpid());

std::string port() { return fmt::format("tcp://127.0.0.1:{}", free_port()); }

/// A server with one element that keeps the newest tuple, and a path to it.
class RemoteElement {
 public:
  explicit RemoteElement(const std::string& endpoint)
      : endpoint_(endpoint),
        taken_(SessionSocket(session, endpoint).require("the benchmark's server")),
        server_(server_network_, {endpoint_,
                                  "bench",
                                  "bench",
                                  1,
                                  {{"element", element_kind([this](Bytes, LinkPool&) {
                                      return std::make_unique<ElementStage>(element_);
                                    })}},
                                  {}}) {
    server_.start();
  }
  void write(const Tuple& tuple) {
    if (path_.write(tuple) != Status::ok) throw std::runtime_error("a write failed");
  }

 private:
  std::unique_ptr<Stage> remote() {
    return std::make_unique<RemoteStage>(links_, RemoteTarget{endpoint_, {"element", {}, {}}, "n"});
  }

  const std::string endpoint_;
  const SessionSocket::Taken taken_;
  Element element_{
      {.name = "bench", .signature = {FieldType::bytes}, .threshold = 1, .when_full = WhenFull::discard}};
  Network server_network_{{}, WhenLost::reconnect, NodeClock(), session};
  Server server_;
  Network network_{{}, WhenLost::reconnect, NodeClock(), session};
  LinkPool links_{network_};
  Path path_{"bench", remote()};
};

/// One figure: a write of a tuple of `payload` bytes, and its reply.
class RemoteWrite {
 public:
  explicit RemoteWrite(std::size_t payload) : payload_(payload) {
    const std::string figure = fmt::format("write {} bytes over TCP", payload);
    race_.add(figure + "/ours", [this](std::size_t times) {
      if (!element_) element_ = std::make_unique<RemoteElement>(port());
      for (std::size_t i = 0; i < times; ++i) element_->write(tuple_);
    });
    race_.add(figure + "/ZeroMQ round trip", [this](std::size_t times) {
      if (!echo_) echo_ = std::make_unique<PlainEcho>(request_bytes(), reply_bytes());
      for (std::size_t i = 0; i < times; ++i) echo_->round_trip();
    });
    race_.register_benchmarks();
  }

 private:
  [[nodiscard]] std::size_t request_bytes() const {
    Operation operation;
    operation.tuple = tuple_;
    wire::Message message = wire::encode(1, wire::OperateRequest{1, Verb::write});
    ElementClient().write_request(operation, message);
    return message.size();
  }
  static std::size_t reply_bytes() {
    constexpr std::size_t body_bytes = 5;  // an array of two small numbers and no tuple
    return wire::encode(1, wire::Done{}).size() + body_bytes;
  }

  std::vector<std::byte> payload_;
  Tuple tuple_{Tuple::of({Bytes(payload_)})};
  std::unique_ptr<RemoteElement> element_;
  std::unique_ptr<PlainEcho> echo_;
  Interleaved race_{200, 20};
};

/// One figure: the same write through a local socket and over TCP.
class LocalWrite {
 public:
  explicit LocalWrite(std::size_t payload) : payload_(payload) {
    const std::string figure = fmt::format("write {} bytes through a local socket", payload);
    race_.add(figure + "/ours", [this](std::size_t times) {
      if (!local_) local_ = std::make_unique<RemoteElement>(fmt::format("local://node/{}", payload_.size()));
      for (std::size_t i = 0; i < times; ++i) local_->write(tuple_);
    });
    race_.add(figure + "/TCP", [this](std::size_t times) {
      if (!remote_) remote_ = std::make_unique<RemoteElement>(port());
      for (std::size_t i = 0; i < times; ++i) remote_->write(tuple_);
    });
    race_.register_benchmarks();
  }

 private:
  std::vector<std::byte> payload_;
  Tuple tuple_{Tuple::of({Bytes(payload_)})};
  std::unique_ptr<RemoteElement> local_;
  std::unique_ptr<RemoteElement> remote_;
  Interleaved race_{200, 20};
};

RemoteWrite small(16);
RemoteWrite large(1024);
LocalWrite small_local(16);
LocalWrite large_local(1024);

}  // namespace
}  // namespace eventspace::bench
