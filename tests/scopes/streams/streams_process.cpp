// A process of a network of streams, for tests that kill and stop it. Back-ends answer the number n with
// n + their rank. Ends with its network.
//
//     streams_process back-end NETWORK ENDPOINT RANK
//     streams_process internal NETWORK PARENT ENDPOINT PLACES BELOW
//     streams_process front-end TOPOLOGY [waves]     prints name and endpoint; serves until it is killed, or
//     makes
//                                                    waves, and prints the number of each that is right
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>

namespace eventspace::streams {
namespace {

using Words = std::vector<std::string>;
using Number = Format<std::int64_t>;
using std::chrono::seconds;

// The previous owner of the rank may still be attached from its parent's point of view.
std::unique_ptr<BackEnd> attach(const AttachPoint& point) {
  const Deadline end = Deadline::after(seconds(60));
  while (true) {
    try {
      return std::make_unique<BackEnd>(point, end);
    } catch (const EnvironmentError& error) {
      if (end.passed() || std::string(error.what()).find("attached") == std::string::npos) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

void run_back_end(const Words& words) {
  const auto back_end =
      attach({words.at(1), words.at(2), static_cast<RankSet::Rank>(std::stoul(words.at(3)))});
  while (const auto received = back_end->receive(Deadline::never())) {
    const Number::Read read(received->packet);
    const std::int64_t answer = std::get<0>(read.values()) + back_end->rank();
    (void)back_end->answer(*received, Number::make(0, answer), Deadline::never());
  }
}

void run_internal(const Words& words) {
  InternalProcess process({.parent = {words.at(1), words.at(2), {}},
                           .endpoint = words.at(3),
                           .places = RankSet::parse(words.at(4)).value(),
                           .below = RankSet::parse(words.at(5)).value()});
  process.run();
}

void say(const std::string& text) {
  std::puts(text.c_str());
  std::fflush(stdout);
}

// Checks that the numbers of a wave are right and missing end-points are named. Throws the fault.
void check_wave(const Packet& wave, std::int64_t number, std::size_t back_ends) {
  std::int64_t expected = 0;
  for (RankSet::Rank rank = 0; rank < back_ends; ++rank)
    expected += wave.ranks.contains(rank) ? 0 : number + rank;
  const Number::Read read(wave);
  if (const std::int64_t sum = std::get<0>(read.values()); sum != expected)
    throw std::runtime_error(fmt::format("wave {}: {} instead of {}; missing: {}", wave.wave, sum, expected,
                                         wave.ranks.to_text()));
}

void make_waves(FrontEnd& front_end) {
  const std::uint32_t stream = front_end.open({.synchronise = Synchronise::time_out,
                                               .time_out = std::chrono::milliseconds(40),
                                               .up = {{"sum", {}}},
                                               .when_full = WhenFull::drop_oldest});
  for (std::int64_t wave = 0;; ++wave) {
    (void)front_end.send(stream, Number::make(0, 1000 * wave), Deadline::never());
    const auto received = front_end.receive(stream, Deadline::after(seconds(60)));
    if (!received || received->wave != static_cast<std::uint64_t>(wave))
      throw std::runtime_error(fmt::format("wave {} did not come", wave));
    check_wave(*received, 1000 * wave, front_end.topology().back_ends());
    say(std::to_string(wave));
  }
}

void run_front_end(const Words& words) {
  FrontEnd front_end(Topology::of_text(words.at(1)));
  say(front_end.name() + " " + front_end.attach_point(0).endpoint);
  (void)front_end.wait_for(front_end.topology().back_ends(), Deadline::after(seconds(60)));
  // The end-points have noticed that they are attached when they answer.
  const std::uint32_t stream = front_end.open({.up = {{"sum", {}}}});
  (void)front_end.send(stream, Number::make(0, 1), Deadline::after(seconds(60)));
  if (!front_end.receive(stream, Deadline::after(seconds(60)))) return;
  say("attached");
  if (words.size() > 2) make_waves(front_end);
  front_end.serve(Deadline::never());
}

}  // namespace
}  // namespace eventspace::streams

int main(int count, char** arguments) {
  try {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (words.at(0) == "back-end") {
      eventspace::streams::run_back_end(words);
    } else if (words.at(0) == "internal") {
      eventspace::streams::run_internal(words);
    } else {
      eventspace::streams::run_front_end(words);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "streams_process: %s\n", error.what());
    return 3;
  }
}
