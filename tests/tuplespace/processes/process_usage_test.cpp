#include "tuplespace/processes/process_usage.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <vector>

namespace eventspace {
namespace {

TEST(ProcessUsage, GrowsWithWhatTheProcessDoes) {
  const auto before = read_process_usage(::getpid());
  ASSERT_TRUE(before);
  EXPECT_GT(before->memory_bytes, 1U << 20);
  EXPECT_GE(before->node_processors, 1U);
  EXPECT_GE(before->node_load, 0.0);
  std::vector<char> memory(std::size_t{32} << 20, 'x');
  constexpr timespec moment{0, 1'000'000};
  for (int i = 0; i < 20; ++i) ::nanosleep(&moment, nullptr);
  const std::clock_t enough = std::clock() + CLOCKS_PER_SEC / 20;  // several ticks of the kernel's account
  while (std::clock() < enough) memory[static_cast<std::size_t>(std::clock()) % memory.size()] ^= 1;
  const auto after = read_process_usage(::getpid());
  ASSERT_TRUE(after);
  EXPECT_GE(after->memory_bytes, before->memory_bytes + (30U << 20));
  EXPECT_GE(after->voluntary_switches, before->voluntary_switches + 20);
  EXPECT_GT(after->cpu_ns, before->cpu_ns);
}

TEST(ProcessUsage, OfAProcessThatHasEndedThereIsNone) {
  EXPECT_FALSE(read_process_usage(0x7fffffff));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(read_process_usage(child)) << "a zombie";
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace eventspace
