// A process of the networks that launched_network_test starts:
//
//     launched_peer --internal               reads a start sheet
//     launched_peer --back-end               answers a number n with n + rank; exits with status 3 for -1
//     launched_peer --launcher HOST WORD...  runs a command as if on another host; 127.0.0.9 is unreachable
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>

namespace eventspace::streams {
namespace {

using Number = Format<std::int64_t>;

int run_back_end() {
  BackEnd back_end(AttachPoint::from_environment(), Deadline::after(std::chrono::seconds(60)));
  while (const auto received = back_end.receive(Deadline::never())) {
    const Number::Read read(received->packet);
    const auto [number] = read.values();
    if (number == -1) return 3;
    (void)back_end.answer(*received, Number::make(0, number + back_end.rank()), Deadline::never());
  }
  return 0;
}

int run_launcher(std::vector<char*> words) {
  if (std::string(words.at(2)) == "127.0.0.9") return 255;  // as ssh does
  words.push_back(nullptr);
  ::unsetenv(AttachPoint::variable);  // launchers do not pass variables on
  ::execv(words.at(3), words.data() + 3);
  return 127;
}

// Answers (i64) twice the number that comes with it.
Packet twice(const CommandCall& call) {
  using Asked = Format<std::string_view, std::int64_t>;
  const Asked::Read read(call.packet);
  return Number::make(0, 2 * std::get<1>(read.values()));
}

int run(const std::vector<char*>& words) {
  const std::string part = words.at(1);
  CommandRegistry::instance().add({"twice", "answers twice a number", twice});
  if (part == "--internal") return serve_start_sheet(std::cin);
  if (part == "--launcher") return run_launcher(words);
  return run_back_end();
}

}  // namespace
}  // namespace eventspace::streams

int main(int count, char** words) try {
  return eventspace::streams::run({words, words + count});
} catch (const std::exception& error) {
  std::cerr << "launched_peer: " << error.what() << '\n';
  return 3;
}
