// A process of a network of streams, for tests that kill and stop it. Back-ends answer the number n with
// n + their rank. Ends with its network.
//
//     streams_process back-end NETWORK ENDPOINT RANK
//     streams_process internal NETWORK PARENT ENDPOINT PLACES BELOW
//     streams_process front-end TOPOLOGY             prints name and endpoint; serves until it is killed
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "scopes/streams/back_end.h"
#include "scopes/streams/front_end.h"
#include "scopes/streams/internal_process.h"
#include "scopes/streams/packets/format.h"
#include "tuplespace/system/error.h"

namespace eventspace::streams {
namespace {

using Words = std::vector<std::string>;
using Number = Format<std::int64_t>;
using std::chrono::seconds;

// The one that had the rank before may be there yet, as far as its parent knows.
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

void run_front_end(const Words& words) {
  FrontEnd front_end(Topology::of_text(words.at(1)));
  std::printf("%s %s\n", front_end.name().c_str(), front_end.attach_point(0).endpoint.c_str());
  std::fflush(stdout);
  (void)front_end.wait_for(front_end.topology().back_ends(), Deadline::after(seconds(60)));
  // They have noticed that they are attached, when they answer.
  const std::uint32_t stream = front_end.open({.up = {{"sum", {}}}});
  (void)front_end.send(stream, Number::make(0, 1), Deadline::after(seconds(60)));
  if (!front_end.receive(stream, Deadline::after(seconds(60)))) return;
  std::printf("attached\n");
  std::fflush(stdout);
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
