#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string_view>
#include <thread>
#include <utility>

#include <eventspace/packet.h>
#include <eventspace/streams.h>

namespace eventspace::streams::test {

using namespace std::chrono_literals;

using Number = Format<std::int64_t>;
inline std::int64_t number_of(const Packet& packet) {
  const Number::Read read(packet);
  return std::get<0>(read.values());
}

/// The function of a back-end: called with each packet, until the network ends.
using Answer = std::function<void(BackEnd& back_end, const Received& received)>;
/// Answers the number n with n + rank.
inline void add_rank(BackEnd& back_end, const Received& received) {
  const std::int64_t answer = number_of(received.packet) + back_end.rank();
  (void)back_end.answer(received, Number::make(received.packet.tag, answer), Deadline::after(60s));
}

/// A front-end, and back-ends as threads of this process.
class Tool {
 public:
  explicit Tool(std::string_view shape) : front_end(Topology::of_text(shape)) {}
  ~Tool() {
    for (auto& [rank, back_end] : back_ends) end(rank);
  }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  /// Attaches all back-ends.
  void attach(const Answer& answer = add_rank) {
    for (RankSet::Rank rank = 0; rank < front_end.topology().back_ends(); ++rank) attach(rank, answer);
    ASSERT_TRUE(front_end.wait_for(front_end.topology().back_ends(), Deadline::after(60s)));
  }
  void attach(RankSet::Rank rank, const Answer& answer = add_rank) {
    Running& running = back_ends[rank];
    running.attaches = true;
    running.thread = std::thread([point = front_end.attach_point(rank), answer, &running] {
      BackEnd back_end(point, Deadline::after(60s));
      while (!running.stops && !back_end.has_ended()) {
        if (const auto received = back_end.receive(Deadline::after(10ms))) answer(back_end, *received);
      }
      running.is_done = true;
    });
  }
  /// Ends a back-end, so that its connection is lost.
  void end(RankSet::Rank rank) {
    Running& running = back_ends[rank];
    running.stops = true;
    // It may still be attaching, for which the front-end has to serve.
    const Deadline end = Deadline::after(60s);
    while (running.thread.joinable() && running.attaches && !running.is_done && !end.passed())
      front_end.serve(Deadline::after(1ms));
    if (running.thread.joinable()) running.thread.join();
  }
  Packet receive(std::uint32_t stream) {
    auto packet = front_end.receive(stream, Deadline::after(60s));
    EXPECT_TRUE(packet.has_value());
    return packet ? *packet : Number::make(0, -1);
  }
  void send(std::uint32_t stream, std::int64_t number) {
    EXPECT_TRUE(front_end.send(stream, Number::make(1, number), Deadline::after(60s)));
  }
  /// Serves until an event of this kind, and returns it.
  Event wait_for(EventKind kind) {
    const Deadline end = Deadline::after(60s);
    while (!end.passed()) {
      while (auto event = front_end.next_event()) {
        if (event->kind == kind) return *event;
      }
      front_end.serve(Deadline::after(5ms));
    }
    ADD_FAILURE() << "no such event";
    return {};
  }

  struct Running {
    std::atomic<bool> stops{false};
    std::atomic<bool> is_done{false};
    bool attaches{false};  // by attach()
    std::thread thread;
  };
  FrontEnd front_end;
  std::map<RankSet::Rank, Running> back_ends;
};

}  // namespace eventspace::streams::test
