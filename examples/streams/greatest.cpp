// greatest [TOPOLOGY]: a front-end requests a number from each back-end and gets the greatest, combined on
// the way by the internal processes. The back-ends are processes of this program: greatest --back-end NETWORK
// ENDPOINT RANK. docs/streams.md explains streams.
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace streams = eventspace::streams;
using eventspace::Deadline;
using std::chrono::seconds;

namespace {

constexpr std::int32_t give_a_number = 1;  // a tag
using Start = streams::Format<std::int32_t>;
using Number = streams::Format<double>;

// A number that depends on the rank, so that the result can be checked.
double number_of(std::uint32_t rank) { return (rank * 37) % 101 + 0.5; }

int run_back_end(const streams::AttachPoint& point) {
  streams::BackEnd back_end(point, Deadline::after(seconds(30)));
  while (const auto received = back_end.receive(Deadline::never())) {
    if (received->packet.tag == give_a_number)
      back_end.answer(*received, Number::make(0, number_of(back_end.rank())), Deadline::never());
  }
  return 0;  // the front-end has ended
}

pid_t start_back_end(const streams::AttachPoint& point) {
  std::vector<std::string> words{"greatest", "--back-end", point.network, point.endpoint,
                                 std::to_string(*point.rank)};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t started = 0;
  if (posix_spawn(&started, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ) != 0)
    throw eventspace::EnvironmentError("cannot start a back-end");
  return started;
}

int ask(streams::FrontEnd& front_end) {
  const std::size_t back_ends = front_end.topology().back_ends();
  if (!front_end.wait_for(back_ends, Deadline::after(seconds(30)))) {
    std::cerr << "only the back-ends " << front_end.ranks().to_text() << " have attached\n";
    return 3;
  }
  const std::uint32_t stream = front_end.open({.up = {{"max", {}}}});
  front_end.send(stream, Start::make(give_a_number, 0), Deadline::after(seconds(30)));
  const auto packet = front_end.receive(stream, Deadline::after(seconds(30)));
  if (!packet) {
    std::cerr << "no answer\n";
    return 3;
  }
  const Number::Read read(*packet);
  std::cout << "the greatest of " << back_ends - packet->ranks.size() << " numbers is "
            << std::get<0>(read.values()) << '\n';
  return 0;
}

int run_front_end(const std::string& topology) {
  std::vector<pid_t> started;
  int status = 0;
  {
    streams::FrontEnd front_end(streams::Topology::of_text(topology));
    for (std::uint32_t rank = 0; rank < front_end.topology().back_ends(); ++rank)
      started.push_back(start_back_end(front_end.attach_point(rank)));
    status = ask(front_end);
  }  // ends the network, and the back-ends with it
  for (const pid_t back_end : started) ::waitpid(back_end, nullptr, 0);
  return status;
}

}  // namespace

int main(int count, char** words) try {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() == 4 && arguments[0] == "--back-end")
    return run_back_end({arguments[1], arguments[2], static_cast<std::uint32_t>(std::stoul(arguments[3]))});
  return run_front_end(arguments.empty() ? "2x4" : arguments[0]);
} catch (const eventspace::Error& error) {
  std::cerr << "greatest: " << error.what() << '\n';
  return 2;
}
