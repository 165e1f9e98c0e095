// The cost of an operation on an element of another process: over TCP on loopback, compared with a plain
// ZeroMQ round trip (DEALER to ROUTER and back) of the same number of bytes each way; and through a local
// socket, compared with TCP. Benchmarks are named FIGURE/ours and FIGURE/PEER.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <eventspace/path.h>
#include <eventspace/stage.h>
#include "bench/free_port.h"
#include "bench/interleaved.h"
#include "bench/plain_echo.h"
#include "paths/bodies/element_bodies.h"
#include "paths/element_stage.h"
#include "paths/remote/remote_stage.h"
#include "paths/security/key_file.h"
#include "paths/server/server.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace::bench {
namespace {

const std::string session = fmt::format("bench-paths-{}", ::getpid());

std::string port() { return fmt::format("tcp://127.0.0.1:{}", free_port()); }

std::shared_ptr<const SessionSecurity> keys_of_session() {
  const SessionKeys keys = make_session_keys();
  return std::make_shared<const SessionSecurity>(SessionSecurity{copy_of(keys.listening),
                                                                 keys.listening.open,
                                                                 copy_of(keys.connecting),
                                                                 {{keys.connecting.open, Role::owner}},
                                                                 "bench",
                                                                 {},
                                                                 {}});
}

/// A server with one element that keeps the newest tuple, and a path to it. `security`: null for connections
/// without keys.
class RemoteElement {
 public:
  explicit RemoteElement(std::string endpoint, const std::shared_ptr<const SessionSecurity>& security = {})
      : endpoint_(std::move(endpoint)),
        taken_(SessionSocket(session, endpoint_).require("the benchmark's server")),
        server_network_({}, WhenLost::reconnect, NodeClock(), session, security),
        network_({}, WhenLost::reconnect, NodeClock(), session, security),
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
  Network server_network_;
  Network network_;
  Server server_;
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

/// One figure: the same write to two servers that differ in one thing.
class WriteBeside {
 public:
  using Make = std::function<std::unique_ptr<RemoteElement>()>;
  struct Side {
    std::string name;
    Make make;
    std::unique_ptr<RemoteElement> element{};
  };

  WriteBeside(std::size_t payload, const std::string& what, std::size_t batch, Make ours, Side other)
      : payload_(payload), sides_{Side{"ours", std::move(ours)}, std::move(other)}, race_{batch, 20} {
    for (Side& side : sides_) {
      race_.add(fmt::format("write {} bytes {}/{}", payload, what, side.name), [&](std::size_t times) {
        if (!side.element) side.element = side.make();
        for (std::size_t i = 0; i < times; ++i) side.element->write(tuple_);
      });
    }
    race_.register_benchmarks();
  }

 private:
  std::vector<std::byte> payload_;
  Tuple tuple_{Tuple::of({Bytes(payload_)})};
  std::array<Side, 2> sides_;
  Interleaved race_;
};

std::unique_ptr<RemoteElement> at_port() { return std::make_unique<RemoteElement>(port()); }
std::unique_ptr<RemoteElement> with_keys() {
  return std::make_unique<RemoteElement>(port(), keys_of_session());
}
WriteBeside::Make at_local_socket(const char* name) {
  return [=] { return std::make_unique<RemoteElement>(fmt::format("local://node/{}", name)); };
}

RemoteWrite small(16);
RemoteWrite large(1024);
WriteBeside small_local(16, "through a local socket", 200, at_local_socket("small"), {"TCP", at_port});
WriteBeside large_local(1024, "through a local socket", 200, at_local_socket("large"), {"TCP", at_port});
WriteBeside small_secure(16, "with keys", 200, with_keys, {"without keys", at_port});
WriteBeside large_secure(std::size_t{1} << 20, "with keys", 20, with_keys, {"without keys", at_port});

}  // namespace
}  // namespace eventspace::bench
