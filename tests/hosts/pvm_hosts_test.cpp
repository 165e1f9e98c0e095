// PVM programs on two hosts. Compares predictions with reality: programs of different character are recorded
// on a fast link, and `whatif` predicts them for a slower link. Then the link is made as slow, and the
// programs run again. There are at most as many tasks as a small machine has processors. docs/whatif.md has
// the errors.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>

#include "tests/hosts/host_network.h"
#include "tests/hosts/prediction.h"
#include "tests/monitors/running/pvm_programs.h"

namespace eventspace::testing_hosts {
namespace {

constexpr int hosts_of_machine = 2;
constexpr double megabits = 40;
// An Ethernet frame of 1514 bytes has 1448 bytes of data.
constexpr double data_share = 1448.0 / 1514;

struct Asked {
  const char* name;
  std::vector<std::string> pattern;
  double too_fast;  ///< error to the fastest run that is allowed, in percent
  double too_slow;  ///< likewise
};
void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.name; }

class PvmHosts : public test::PvmProgramTest {
 protected:
  void SetUp() override {
    try {
      network_.emplace(file(""));
      for (int number = 0; number < hosts_of_machine; ++number) {
        network_->connect(host(number));
        network_->keep_speed_after_idle(host(number));
      }
    } catch (const NotPermitted& reason) {
      GTEST_SKIP() << reason.what();
    }
    make_remote_shell();
    PvmProgramTest::SetUp();
  }

  [[nodiscard]] Words outside() const override { return network_->at(host(0)).launch(); }
  [[nodiscard]] Words hosts() const override {
    return {network_->address(host(0)), network_->address(host(1))};
  }

  bool slow_down() {
    for (int number = 0; number < hosts_of_machine; ++number) {
      if (!network_->try_limit_rate(host(number), fmt::format("{}mbit", megabits))) return false;
    }
    return true;
  }
  /// The slower network, as a user would describe it.
  [[nodiscard]] std::filesystem::path slow_network() const {
    return write("slow.yaml", fmt::format("network: loggp\nlatency: 50us\nsend_overhead: 10us\n"
                                          "receive_overhead: 10us\nrate: {:.6f}Mb/s\n",
                                          megabits * data_share));
  }

  static std::string host(int number) { return fmt::format("n{}", number); }

 private:
  // Enters the namespace of a host, where the daemon has a separate directory.
  void make_remote_shell() const {
    std::string text =
        "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1; shift\ncase $host in\n";
    for (int number = 0; number < hosts_of_machine; ++number) {
      const std::filesystem::path place = file(host(number));
      std::filesystem::create_directory(place);
      text += fmt::format("{}) there={}; export PVM_TMP={} ;;\n", network_->address(host(number)),
                          network_->at(host(number)).holder(), place.string());
    }
    text += "esac\nexec nsenter -t \"$there\" -n sh -c \"$*\"\n";
    std::filesystem::permissions(write("remote_shell", text), std::filesystem::perms::owner_all);
  }

  std::optional<HostNetwork> network_;
  test::Variable shell_{"PVM_RSH", file("remote_shell").string()};
};

// The other host has separate shared memory and a separate directory for sockets, like another machine.
TEST_F(PvmHosts, TasksOfAnotherMachineAreSeenThroughASharedDirectory) {
  const auto there = file(host(1));
  for (const char* const part : {"shm", "run"}) std::filesystem::create_directory(there / part);
  for (const char* const name : {"common", "programs"}) std::filesystem::create_directory(file(name));
  const auto app = std::filesystem::path(PVM_APP).filename().string();
  const auto on_host = write("programs/" + app, "#!/bin/sh\nexport EVENTSPACE_SHM_DIR=" + there.string() +
                                                    "/shm XDG_RUNTIME_DIR=" + there.string() +
                                                    "/run\nexec " PVM_APP " \"$@\"\n");
  std::filesystem::permissions(on_host, std::filesystem::perms::owner_all);
  const test::Variable go("GO_ON", go_file());
  // The command has the name of the program to be spawned.
  Call program = run({"neighbours", "2", "5", "100"}, {"--pvm", "--shared", file("common").string()},
                     {"bash", "-c", "exec -a " + app + " \"$0\" \"$@\""});
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::set<std::string> processes;
  std::string said;
  EXPECT_TRUE(testing_commands::eventually([&] {
    Call events = start({"events", "job", "--format", "json", "--quiet", "--for", "1s"}, outside());
    (void)events.status();  // it has ended; the server of the other host may not listen yet
    said = events.err();
    for (const auto& event : testing_commands::objects_in(events.out()))
      if (event["call"] == "pvm_recv") processes.insert(event["process"]);
    return processes.size() == 2;
  })) << said;
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  EXPECT_TRUE(std::filesystem::is_empty(file("common")));
}

class PvmPrediction : public PvmHosts, public testing::WithParamInterface<Asked> {};

TEST_P(PvmPrediction, IsNearWhatTheProgramTakesOnTheSlowLink) {
  const Asked& asked = GetParam();
  const auto recording = file("fast.evs");
  const double took = record(asked.pattern, recording);
  ASSERT_GT(took, 0);
  const auto rows = ask(recording, {"--network", slow_network().string(), "--table", "summary"});
  ASSERT_EQ(rows.size(), 2U);
  // The parts before and after the pattern, such as spawning, are in the recording but not compared.
  const double beside = rows[0]["recorded_s"].get<double>() - took;
  const double predicted = rows[1]["predicted_s"].get<double>() - beside;

  if (!slow_down()) GTEST_SKIP() << "this kernel has no tbf";
  expect_near(
      {asked.name, took, rows[0]["error_percent"].get<double>(), predicted, asked.too_fast, asked.too_slow},
      [&] { return measure(asked.pattern); });
}

// `direct`: over connections between the tasks. Otherwise the daemons send packets of 4 kB to each other and
// wait for an acknowledgement of each.
INSTANTIATE_TEST_SUITE_P(
    Patterns, PvmPrediction,
    testing::Values(Asked{"neighbours", {"neighbours", "2", "40", "50000", "direct"}, 15, 25},
                    Asked{"irregular", {"irregular", "2", "40", "50000", "direct"}, 15, 25},
                    Asked{"alltoall", {"alltoall", "2", "40", "50000", "direct"}, 15, 25},
                    Asked{"transpose", {"transpose", "2", "40", "50000", "direct"}, 15, 25},
                    Asked{"wavefront", {"wavefront", "2", "40", "50000", "direct"}, 15, 25},
                    Asked{"mcast", {"mcast", "2", "40", "50000", "direct"}, 15, 25},
                    Asked{"group", {"group", "2", "20", "50000", "direct"}, 60, 60},
                    Asked{"wavefront_by_daemons", {"wavefront", "2", "40", "50000"}, 90, 15}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace eventspace::testing_hosts
