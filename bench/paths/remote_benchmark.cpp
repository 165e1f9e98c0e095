// The cost of an operation on an element over TCP on loopback, compared with a plain ZeroMQ round trip
// (DEALER to ROUTER and back) of the same number of bytes each way. Benchmarks are named FIGURE/ours and
// FIGURE/PEER.
#include <fmt/format.h>

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
#include "paths/security/key_file.h"
#include "paths/server/server.h"

namespace eventspace::bench {
namespace {

std::shared_ptr<const SessionSecurity> keys_of_session() {
  const SessionKeys keys = make_session_keys();
  const auto copy = [](const CurveKeys& pair) {
    return CurveKeys{pair.open, SecretKey(pair.secret.bytes())};
  };
  return std::make_shared<const SessionSecurity>(SessionSecurity{copy(keys.listening),
                                                                 keys.listening.open,
                                                                 copy(keys.connecting),
                                                                 {{keys.connecting.open, Role::owner}},
                                                                 "bench",
                                                                 {},
                                                                 {}});
}

/// A server with one element that keeps the newest tuple, and a path to it over TCP. `security`: null for
/// connections without keys.
class RemoteElement {
 public:
  explicit RemoteElement(const std::shared_ptr<const SessionSecurity>& security = nullptr)
      : server_network_({}, WhenLost::reconnect, NodeClock(), security),
        network_({}, WhenLost::reconnect, NodeClock(), security),
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
    if (path_.write(tuple) != Status::ok) throw std::runtime_error("a write over TCP failed");
  }

 private:
  std::unique_ptr<Stage> remote() {
    return std::make_unique<RemoteStage>(links_, RemoteTarget{endpoint_, {"element", {}, {}}, "n"});
  }

  const std::string endpoint_ = fmt::format("tcp://127.0.0.1:{}", free_port());
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
      if (!element_) element_ = std::make_unique<RemoteElement>();
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

/// What keys cost: the same write with them, beside one without.
class SecureWrite {
 public:
  explicit SecureWrite(std::size_t payload, std::size_t batch) : payload_(payload), race_{batch, 20} {
    const std::string figure = fmt::format("write {} bytes with keys", payload);
    race_.add(figure + "/ours", [this](std::size_t times) {
      if (!secure_) secure_ = std::make_unique<RemoteElement>(keys_of_session());
      for (std::size_t i = 0; i < times; ++i) secure_->write(tuple_);
    });
    race_.add(figure + "/without keys", [this](std::size_t times) {
      if (!open_) open_ = std::make_unique<RemoteElement>();
      for (std::size_t i = 0; i < times; ++i) open_->write(tuple_);
    });
    race_.register_benchmarks();
  }

 private:
  std::vector<std::byte> payload_;
  Tuple tuple_{Tuple::of({Bytes(payload_)})};
  std::unique_ptr<RemoteElement> secure_;
  std::unique_ptr<RemoteElement> open_;
  Interleaved race_;
};

RemoteWrite small(16);
RemoteWrite large(1024);
SecureWrite secure_small(16, 200);
SecureWrite secure_large(std::size_t{1} << 20, 20);

}  // namespace
}  // namespace eventspace::bench
