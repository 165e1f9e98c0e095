// What an operation on an element of another process costs, over TCP on loopback, beside a plain ZeroMQ round
// trip (DEALER to ROUTER and back) of as many bytes each way. Names are FIGURE/ours and FIGURE/PEER.
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "bench/free_port.h"
#include "bench/interleaved.h"
#include "paths/element_stage.h"
#include "paths/path.h"
#include "paths/remote_stage.h"
#include "paths/server.h"

namespace eventspace::bench {
namespace {

/// A server with one element that keeps the newest tuple, and a path to it over TCP.
class RemoteElement {
 public:
  RemoteElement()
      : server_(server_network_,
                {endpoint_,
                 "bench",
                 "bench",
                 1,
                 {{"element", [this](Bytes, LinkPool&) { return std::make_unique<ElementStage>(element_); }}},
                 {}}) {
    server_.start();
  }
  void write(const Tuple& tuple) {
    if (path_.write(tuple) != Status::ok) throw std::runtime_error("a write over TCP failed");
  }

 private:
  std::unique_ptr<Stage> remote() {
    return std::make_unique<RemoteStage>(links_,
                                         RemoteTarget{endpoint_, {"element", {}, {}}, "n", "element", 0, {}});
  }

  const std::string endpoint_ = fmt::format("tcp://127.0.0.1:{}", free_port());
  Element element_{
      {.name = "bench", .signature = {FieldType::bytes}, .threshold = 1, .when_full = WhenFull::discard}};
  Network server_network_;
  Server server_;
  Network network_;
  LinkPool links_{network_};
  Path path_{"bench", remote()};
};

/// The bytes of those messages and nothing else.
class PlainEcho {
 public:
  PlainEcho(std::size_t request_bytes, std::size_t reply_bytes)
      : request_(request_bytes), reply_(reply_bytes) {
    const std::string endpoint = fmt::format("tcp://127.0.0.1:{}", free_port());
    router_.bind(endpoint);
    dealer_.connect(endpoint);
    server_ = std::thread([this] { answer(); });
  }
  ~PlainEcho() {
    dealer_.send(zmq::message_t(), zmq::send_flags::none);
    server_.join();
  }
  PlainEcho(const PlainEcho&) = delete;
  PlainEcho& operator=(const PlainEcho&) = delete;

  void round_trip() {
    dealer_.send(zmq::buffer(request_), zmq::send_flags::none);
    zmq::message_t reply;
    benchmark::DoNotOptimize(dealer_.recv(reply));
  }

 private:
  void answer() {
    while (true) {
      zmq::message_t peer;
      zmq::message_t request;
      if (!router_.recv(peer) || !router_.recv(request) || request.empty()) return;
      router_.send(peer, zmq::send_flags::sndmore);
      router_.send(zmq::buffer(reply_), zmq::send_flags::none);
    }
  }

  std::vector<std::byte> request_;
  std::vector<std::byte> reply_;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  zmq::context_t client_context_;
  zmq::socket_t dealer_{client_context_, zmq::socket_type::dealer};
  std::thread server_;
};

/// One figure: a write of a tuple of `payload` bytes, and its answer.
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
    wire::OperateRequest request;
    request.target = 1;
    request.wait_us = -1;
    request.tuple = tuple_;
    return wire::encode(1, request).size();
  }
  static std::size_t reply_bytes() {
    return wire::encode(1, wire::Done{Status::ok, 1, 0, {}, {}, {}}).size();
  }

  std::vector<std::byte> payload_;
  Tuple tuple_{Tuple::of({Bytes(payload_)})};
  std::unique_ptr<RemoteElement> element_;
  std::unique_ptr<PlainEcho> echo_;
  Interleaved race_{200, 20};
};

RemoteWrite small(16);
RemoteWrite large(1024);

}  // namespace
}  // namespace eventspace::bench
