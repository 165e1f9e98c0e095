#include "tests/hosts/host_network.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "monitors/servers/child_process.h"
#include "tests/hosts/tcp.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace::testing_hosts {
namespace {

using namespace std::chrono_literals;
using testing_commands::eventually;
using testing_commands::read_text;

class HostNetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      network_.emplace(directory_.path());
      network_->connect("n1");
      network_->connect("n2");
    } catch (const NotPermitted& reason) {
      GTEST_SKIP() << reason.what();
    }
  }

  FileHandle listen_on(const std::string& host, int on_switch = 0) {
    const Visit visit(network_->at(host));
    return listen_at(network_->address(host, on_switch), 7000);
  }
  bool reaches(const std::string& host, const std::string& address, std::chrono::milliseconds time = 10s) {
    const Visit visit(network_->at(host));
    return connect_to(address, 7000, time).valid();
  }
  static bool is_alive(pid_t pid) {
    const auto process = read_process_stat(pid);
    return process && process->is_alive_since(process->start_ticks);
  }
  // Returns true once the process has entered its namespace and executes sleep.
  static bool is_sleeping(pid_t pid) {
    return read_text("/proc/" + std::to_string(pid) + "/comm") == "sleep\n";
  }
  static ChildProcess sleep_in(const NetworkNamespace& place) {
    ChildSpec spec;
    spec.command = place.launch();
    spec.command.insert(spec.command.end(), {"sleep", "1000"});
    spec.detached = true;
    return ChildProcess::start(spec);
  }

  test::TemporaryDirectory directory_;
  std::optional<HostNetwork> network_;
};

TEST_F(HostNetworkTest, HostsReachEachOther) {
  const FileHandle listener = listen_on("n2");
  EXPECT_TRUE(reaches("n1", network_->address("n2")));
}

TEST_F(HostNetworkTest, HostsAreNotReachableFromOutside) {
  const FileHandle listener = listen_on("n2");
  // If a machine with this address exists outside, the connection reaches that machine, not this host.
  const FileHandle elsewhere = connect_to(network_->address("n2"), 7000, 100ms);
  EXPECT_FALSE(accept_from(listener, 100ms).valid());
}

TEST_F(HostNetworkTest, AnUnpluggedHostIsSilentUntilItIsPluggedIn) {
  const FileHandle listener = listen_on("n2");
  network_->unplug("n2");
  EXPECT_FALSE(reaches("n1", network_->address("n2"), 200ms));
  network_->plug("n2");
  EXPECT_TRUE(reaches("n1", network_->address("n2")));
}

TEST_F(HostNetworkTest, AHostBehindAnotherSwitchIsReachedOnlyFromThere) {
  network_->connect("g1");
  network_->connect("g1", 1);
  network_->connect("n3", 1);
  const FileHandle listener = listen_on("n3", 1);
  EXPECT_TRUE(reaches("g1", network_->address("n3", 1)));
  EXPECT_FALSE(reaches("n1", network_->address("n3", 1), 200ms));
}

TEST_F(HostNetworkTest, ALimitedRateTakesItsTime) {
  if (!network_->try_limit_rate("n1", "1mbit")) GTEST_SKIP() << "this kernel has no tbf";
  const FileHandle listener = listen_on("n2");
  const Visit visit(network_->at("n1"));
  const FileHandle from = connect_to(network_->address("n2"), 7000, 10s);
  const FileHandle to = accept_from(listener, 10s);
  const auto begin = std::chrono::steady_clock::now();
  const std::string bytes(128u << 10, 'x');  // takes a second at this rate
  send_all(from, bytes);
  EXPECT_TRUE(receive(to, bytes.size()) == bytes);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 500ms);
}

TEST_F(HostNetworkTest, ProcessesOnAHostEndWithIt) {
  ChildProcess sleeper = sleep_in(network_->at("n1"));
  ASSERT_TRUE(eventually([&] { return is_sleeping(sleeper.pid()); }));
  network_.reset();
  EXPECT_EQ(sleeper.wait().signal, SIGKILL);
}

TEST_F(HostNetworkTest, AKilledTestLeavesNothingBehind) {
  const std::filesystem::path note = directory_.path() / "sleeper";
  test::Child killed([&] {
    const HostNetwork own(directory_.path());
    const NetworkNamespace place;
    std::ofstream(note) << sleep_in(place).pid() << ' ' << place.holder() << std::endl;
    ::pause();
  });
  pid_t sleeper = 0;
  pid_t holder = 0;
  ASSERT_TRUE(eventually([&] { return static_cast<bool>(std::ifstream(note) >> sleeper >> holder); }));
  ASSERT_TRUE(eventually([&] { return is_sleeping(sleeper); }));
  ASSERT_TRUE(is_alive(holder));
  killed.kill();
  EXPECT_TRUE(eventually([&] { return !is_alive(sleeper) && !is_alive(holder); }));
}

TEST_F(HostNetworkTest, ThereIsNothingToUnmount) {
  const std::string before = read_text("/proc/self/mounts");
  const HostNetwork another(directory_.path());
  EXPECT_EQ(read_text("/proc/self/mounts"), before);
}

}  // namespace
}  // namespace eventspace::testing_hosts
