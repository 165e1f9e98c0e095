#pragma once

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "bench/free_port.h"

namespace eventspace::bench {

/// Plain ZeroMQ, for comparison with requests over TCP: a DEALER sends a number of bytes to a ROUTER of
/// another context, which answers with a number of bytes, without other work. The answering side has its own
/// thread and its own I/O thread, like the server of a benchmark within one program. One thread requests.
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

}  // namespace eventspace::bench
