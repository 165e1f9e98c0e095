// What one pull of the newest events costs, from 1 to 2240 trace elements: in the monitor's own process
// beside merely copying those events out of the rings; over loopback TCP beside a plain ZeroMQ round trip
// that brings as many bytes. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "bench/free_port.h"
#include "bench/scopes/observed_application.h"
#include "pathmaps/consumer.h"
#include "tuplespace/segment.h"

namespace eventspace::bench {
namespace {

void Pull(benchmark::State& state, const char* scope_name, std::size_t threads) {
  const ObservedApplication application(threads);
  Consumer consumer(application.plan(), application.session());
  EventScope scope = consumer.open(scope_name);
  std::size_t incomplete = 0;
  while (state.KeepRunning()) {
    const View view = scope.pull({});
    if (view.records.size() != threads) ++incomplete;
  }
  if (incomplete != 0) state.SkipWithError("some pulls brought less than one event for each thread");
}

void CopyFromRings(benchmark::State& state, std::size_t threads) {
  const ObservedApplication application(threads);
  const SegmentView segment(find_segments(application.session()).at(0));
  std::vector<TraceTuple> records;
  while (state.KeepRunning()) {
    records.clear();
    for (const SegmentView::Trace& trace : segment.traces()) {
      if (const auto newest = trace.reader.newest()) records.push_back(*newest);
    }
    benchmark::DoNotOptimize(records.data());
    benchmark::ClobberMemory();
  }
  if (records.size() != threads) state.SkipWithError("the rings hold less than one event for each thread");
}

// Answers each request with `bytes` bytes, until one is empty.
void answer(zmq::socket_t& router, std::size_t bytes) {
  const std::vector<std::byte> events(bytes);
  while (true) {
    zmq::message_t peer;
    zmq::message_t request;
    if (!router.recv(peer) || !router.recv(request) || request.empty()) return;
    router.send(peer, zmq::send_flags::sndmore);
    router.send(zmq::buffer(events.data(), events.size()), zmq::send_flags::none);
  }
}

void PlainRoundTrip(benchmark::State& state, std::size_t threads) {
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  const std::string endpoint = fmt::format("tcp://127.0.0.1:{}", free_port());
  router.bind(endpoint);
  dealer.connect(endpoint);
  std::thread server([&] { answer(router, threads * sizeof(TraceTuple)); });
  const std::vector<std::byte> request(64);
  while (state.KeepRunning()) {
    dealer.send(zmq::buffer(request.data(), request.size()), zmq::send_flags::none);
    zmq::message_t reply;
    benchmark::DoNotOptimize(dealer.recv(reply));
  }
  dealer.send(zmq::message_t(), zmq::send_flags::none);
  server.join();
}

const bool registered = [] {
  for (const std::size_t threads : {1, 140, 2240}) {
    const auto add = [&](const char* figure, const char* side, auto run) {
      const std::string name = fmt::format("{}, {} trace elements/{}", figure, threads, side);
      benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime()->Unit(benchmark::kMicrosecond);
    };
    add("pull here", "ours", [=](benchmark::State& state) { Pull(state, "direct", threads); });
    add("pull here", "copying from the rings",
        [=](benchmark::State& state) { CopyFromRings(state, threads); });
    add("pull over TCP", "ours", [=](benchmark::State& state) { Pull(state, "served", threads); });
    add("pull over TCP", "ZeroMQ round trip",
        [=](benchmark::State& state) { PlainRoundTrip(state, threads); });
  }
  return true;
}();

}  // namespace
}  // namespace eventspace::bench
