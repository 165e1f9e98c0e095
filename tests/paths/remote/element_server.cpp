// A server in a separate process, for tests that stop or kill it: it hosts the element "channel", whose
// tuples are two integers, with TUPLES tuples in it from the start. Ends with the test that started it.
//
//     element_server PORT TUPLES

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/paths/server_talk.h"

int main(int argc, char** argv) {
  using namespace eventspace;
  if (argc != 3) return 2;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Element channel({"channel", {FieldType::integer}, 2});
  for (std::int64_t number = 1; number <= std::atoi(argv[2]); ++number) {
    Operation write;
    write.tuple = test::number(number);
    channel.perform(write);
  }
  const auto open = [&channel](Bytes, LinkPool&) { return std::make_unique<ElementStage>(channel); };
  const test::ElementServer server(static_cast<std::uint16_t>(std::atoi(argv[1])), {},
                                   {{"element", element_kind(open)}});
  while (true) ::pause();
}
