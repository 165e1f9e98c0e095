// What SimGrid's SMPI makes of the traces that are written, beside LogGP with the same latency and rate.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "monitors/whatif/actions/smpi_trace.h"
#include "tests/monitors/whatif/simulation/program_story.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::whatif {
namespace {

constexpr int tasks = 8;
constexpr int size = 100'000;

std::string ring() {
  std::string lines;
  for (int t = 0; t < tasks; ++t) {
    const std::string send = fmt::format("{} send {} {}B\n", t, (t + 1) % tasks, size);
    const std::string receive = fmt::format("{} recv {} {}B\n", t, (t + tasks - 1) % tasks, size);
    lines += t == 0 ? send + receive : receive + send;
  }
  return lines;
}

std::string halo() {
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

std::string pairwise() {
  std::string lines;
  for (int t = 0; t < tasks; ++t) {
    for (int i = 1; i < tasks; ++i)
      lines += fmt::format("{0} irecv {1} {3}B request 0\n{0} isend {2} {3}B request 1\n{0} wait 0 1\n", t,
                           (t + tasks - i) % tasks, (t + i) % tasks, size);
  }
  return lines;
}

std::string reduce_tree() {
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

  /// The time that SMPI says; -1 if it says none.
  [[nodiscard]] double replayed(const Program& program, int megabytes_per_second) const {
    std::ofstream trace(place("trace"));
    (void)write_smpi_trace(trace, program);
    trace.close();
    write("list", place("trace") + "\n");
    std::string hosts;
    for (int i = 0; i < tasks; ++i) hosts += fmt::format("n{}\n", i);
    write("hosts", hosts);
    write(
        "cluster.xml",
        fmt::format("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                    "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" "
                    "speed=\"1Gf\" "
                    "bw=\"{}MBps\" lat=\"10us\" sharing_policy=\"SPLITDUPLEX\"/></platform>\n",
                    tasks - 1, megabytes_per_second));
    const std::string command = fmt::format(
        "cd {} && {} -replay list -np {} -platform cluster.xml -hostfile hosts --cfg=network/model:CM02 "
        "--cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0 --cfg=smpi/async-small-thresh:0 2>&1",
        directory_.path().string(), SMPIRUN, tasks);
    return time_in(output_of(command));
  }

 private:
  static std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return text;
    char buffer[4096];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
      text.append(buffer, got);
    EXPECT_EQ(::pclose(pipe), 0) << text;
    return text;
  }
  static double time_in(const std::string& text) {
    const std::string before = "Simulation time ";
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + before.size(), nullptr);
  }

  test::TemporaryDirectory directory_;
};

TEST_F(SmpiReplay, AgreesWithLogGpOnPatternsAtFourRates) {
  for (const auto& [name, lines] :
       {std::pair("ring", ring()), std::pair("halo", halo()), std::pair("pairwise", pairwise()),
        std::pair("reduce tree", reduce_tree())}) {
    const Program program = ended(lines);
    for (const int rate : {10, 100, 1000, 12500}) {
      // Two links on each way.
      const LogGpNetwork network{.latency = 20 * story::us, .per_byte = 1e6 / rate};
      const double own = static_cast<double>(story::outcome(program, story::loggp(network)).execution) / 1e12;
      const double theirs = replayed(program, rate);
      EXPECT_NEAR(own, theirs, 0.05 * theirs) << name << " at " << rate << " MB/s";
    }
  }
}

}  // namespace
}  // namespace eventspace::whatif
