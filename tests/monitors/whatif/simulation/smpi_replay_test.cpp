// Written traces, replayed by SimGrid's SMPI and compared with LogGP of the same latency and rate, and with
// eventspace-simgrid's simulation of the program.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "monitors/whatif/actions/smpi_trace.h"
#include "monitors/whatif/switched/platform_text.h"
#include "monitors/whatif/switched/simulate_switched.h"
#include "tests/command_output.h"
#include "tests/monitors/whatif/simulation/program_story.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::whatif {
namespace {

constexpr int tasks = 8;

std::string ring(int size) {
  std::string lines;
  for (int t = 0; t < tasks; ++t) {
    const std::string send = fmt::format("{} send {} {}B\n", t, (t + 1) % tasks, size);
    const std::string receive = fmt::format("{} recv {} {}B\n", t, (t + tasks - 1) % tasks, size);
    lines += t == 0 ? send + receive : receive + send;
  }
  return lines;
}

std::string halo(int size) {
  std::string lines;
  for (int t = 0; t < tasks; ++t) {
    for (int round = 0; round < 10; ++round)
      lines += fmt::format(
          "{0} irecv {1} {3}B request 0 tag 1\n{0} irecv {2} {3}B request 1 tag 2\n"
          "{0} isend {2} {3}B request 2 tag 1\n{0} isend {1} {3}B request 3 tag 2\n"
          "{0} wait 0 1 2 3\n{0} compute 100us\n",
          t, (t + tasks - 1) % tasks, (t + 1) % tasks, size);
  }
  return lines;
}

std::string pairwise(int size) {
  std::string lines;
  for (int t = 0; t < tasks; ++t) {
    for (int i = 1; i < tasks; ++i)
      lines += fmt::format("{0} irecv {1} {3}B request 0\n{0} isend {2} {3}B request 1\n{0} wait 0 1\n", t,
                           (t + tasks - i) % tasks, (t + i) % tasks, size);
  }
  return lines;
}

std::string reduce_tree(int size) {
  std::string lines;
  for (int t = 0; t < tasks; ++t) {
    for (int bit = 1; bit < tasks; bit *= 2) {
      if ((t & bit) != 0) {
        lines += fmt::format("{} send {} {}B\n", t, t - bit, size);
        break;
      }
      lines += fmt::format("{} recv {} {}B\n", t, t + bit, size);
    }
  }
  return lines;
}

Program ended(std::string lines) {
  for (int t = 0; t < tasks; ++t) lines += fmt::format("{} end\n", t);
  return story::program(tasks, lines);
}

/// A cluster whose hosts have a link in each direction.
class SmpiReplay : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(place(name)) << text; }
  [[nodiscard]] std::string place(const std::string& name) const {
    return (directory_.path() / name).string();
  }

  /// The time that SMPI reports; -1 if there is none. Messages of fewer bytes than `small` leave before their
  /// receive is posted.
  [[nodiscard]] double replayed(const Program& program, const Network& network, int small) const {
    std::ofstream trace(place("trace"));
    (void)write_smpi_trace(trace, program);
    trace.close();
    write("list", place("trace") + "\n");
    std::string hosts;
    for (const std::string& host : platform_hosts(network, tasks)) hosts += host + "\n";
    write("hosts", hosts);
    write("cluster.xml", platform_text(network, tasks));
    std::string command = fmt::format(
        "cd {} && {} -replay list -np {} -platform cluster.xml -hostfile hosts "
        "--cfg=smpi/async-small-thresh:{} --cfg=smpi/send-is-detached-thresh:65536",
        directory_.path().string(), SMPIRUN, tasks, small);
    for (const std::string& option : simgrid_options(std::get<SwitchedNetwork>(network.kind)))
      command += " --cfg=" + option;
    return time_in(test::command_output(command + " 2>&1"));
  }

 private:
  static double time_in(const std::string& text) {
    const std::string before = "Simulation time ";
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + before.size(), nullptr);
  }

  test::TemporaryDirectory directory_;
};

std::vector<std::pair<const char*, std::string>> patterns(int size) {
  return {{"ring", ring(size)},
          {"halo", halo(size)},
          {"pairwise", pairwise(size)},
          {"reduce tree", reduce_tree(size)}};
}

Network one_switch(int megabytes_per_second) {
  return {.name = "switch",
          .kind = SwitchedNetwork{.bits_per_second = 8e6 * megabytes_per_second, .latency = 10 * story::us}};
}

TEST_F(SmpiReplay, AgreesWithLogGpOnPatternsAtFourRates) {
  for (const auto& [name, lines] : patterns(100'000)) {
    const Program program = ended(lines);
    for (const int rate : {10, 100, 1000, 12500}) {
      // Two links on each way.
      const LogGpNetwork network{.latency = 20 * story::us, .per_byte = 1e6 / rate};
      const double own = static_cast<double>(story::outcome(program, story::loggp(network)).execution) / 1e12;
      const double theirs = replayed(program, one_switch(rate), 0);
      EXPECT_NEAR(own, theirs, 0.05 * theirs) << name << " at " << rate << " MB/s";
    }
  }
}

#ifdef SIMGRID_DIRECTORY
TEST_F(SmpiReplay, SwitchedNetworksAgreeWithSmpiReplayWithinAPercent) {
  const test::Variable path("PATH", std::string(SIMGRID_DIRECTORY ":") + std::getenv("PATH"));
  std::string simulator;
  for (const int size : {5'000, 100'000}) {
    for (const auto& [name, lines] : patterns(size)) {
      const Program program = ended(lines);
      for (const int rate : {10, 100, 1000, 12500}) {
        const auto made = simulate_switched(program, one_switch(rate), {}, simulator);
        const double own = static_cast<double>(made->execution) / 1e12;
        const double theirs = replayed(program, one_switch(rate), 65536);
        EXPECT_NEAR(own, theirs, 0.01 * theirs) << name << " of " << size << " bytes at " << rate << " MB/s";
      }
    }
  }
}
#endif

}  // namespace
}  // namespace eventspace::whatif
