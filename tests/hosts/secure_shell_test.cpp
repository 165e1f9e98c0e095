#include "tests/hosts/secure_shell.h"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>

#include "tests/hosts/hosts_ground.h"
#include "tests/monitors/workplace.h"

// `eventspace up`, `down` and `run` on simulated hosts that are reached through a real sshd.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_commands::Call;
using testing_commands::free_port;
using testing_hosts::HostsGround;
using testing_hosts::SecureShells;

class OverSsh : public testing_commands::Workplace {
 protected:
  void SetUp() override {
    try {
      shells_.emplace(file("ssh"), hosts());
    } catch (const testing_hosts::NotPermitted& reason) {
      GTEST_SKIP() << reason.what();
    }
    for (const char* const node : {"n1", "n2"}) {
      hosts().address(node);
      hosts().set_launch(node, shells_->launch(node));
    }
    pathmap_ = tiny(free_port(), free_port(), testing_commands::monitors_scopes);
  }
  HostsGround& hosts() { return static_cast<HostsGround&>(ground()); }

  // Makes a host silent, without errors from the network. By itself, ssh would retry for two minutes.
  void silence(const std::string& node) {
    hosts().network().make_known("monitor", node);
    hosts().network().unplug(node);
  }

  [[nodiscard]] std::vector<int> servers() const { return processes_with("serve"); }
  void expect_that_nothing_runs() const {
    EXPECT_THAT(servers(), IsEmpty());
    EXPECT_THAT(processes_with("ssh"), IsEmpty());
  }

  std::optional<SecureShells> shells_;
  std::filesystem::path pathmap_;
};

TEST_F(OverSsh, UpStartsTheServersAMonitorSeesTheApplicationAndDownStopsThem) {
  shells_->start("n1");
  shells_->start("n2");
  Call up = call({"up", pathmap_});
  ASSERT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), AllOf(HasSubstr("n1: started (pid "), HasSubstr("n2: started (pid ")));
  EXPECT_THAT(servers(), SizeIs(2));
  EXPECT_THAT(call({"up", pathmap_}).out(), HasSubstr("n2: running already (pid "));

  Call application = start({"run", pathmap_, "--", TINY_APP});
  ASSERT_TRUE(application.says("ready p0") && application.says("ready p1")) << application.err();
  Call heartbeat = call({"heartbeat", pathmap_, "--once", "--stall", "30s", "--list", "all"});
  EXPECT_EQ(heartbeat.status(), 0) << heartbeat.out() << heartbeat.err();
  EXPECT_THAT(heartbeat.out(), HasSubstr("2 threads: 2 running"));

  Call down = call({"down", pathmap_});
  EXPECT_EQ(down.status(), 0) << down.out() << down.err();
  EXPECT_THAT(down.out(), AllOf(HasSubstr("n1: stopped"), HasSubstr("n2: stopped")));
  EXPECT_THAT(servers(), IsEmpty());
  EXPECT_THAT(call({"down", pathmap_}).out(), HasSubstr("n2: not running"));
}

TEST_F(OverSsh, AnApplicationThatEndsLeavesNothing) {
  shells_->start("n1");
  shells_->start("n2");
  Call run = call({"run", pathmap_, "--server-up", "--", TINY_APP, "20"});
  EXPECT_EQ(run.status(), 0) << run.err();
  EXPECT_THAT(run.out(), AllOf(HasSubstr("ready p0"), HasSubstr("ready p1")));
  expect_that_nothing_runs();
  EXPECT_TRUE(std::filesystem::is_empty(file("n1/shm")));
  EXPECT_TRUE(std::filesystem::is_empty(file("n2/shm")));
}

TEST_F(OverSsh, AHostThatRefusesTheKeyIsNamedAndNoneIsLeftRunning) {
  shells_->start("n1");
  shells_->start("n2", SecureShells::Lets::nobody);
  Call up = call({"up", pathmap_});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), AllOf(HasSubstr("n1: stopped again"), HasSubstr("n2: failed")));
  EXPECT_THAT(up.out(),
              AllOf(HasSubstr("ssh ended with status 255"), HasSubstr("Permission denied (publickey)")));
  expect_that_nothing_runs();
}

TEST_F(OverSsh, AServerThatIsStillStartingWhenAnotherFailsIsNotLeftRunning) {
  shells_->start("n1", SecureShells::Lets::nobody);
  shells_->start("n2");
  Call up = call({"up", pathmap_});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), AllOf(HasSubstr("n1: failed"), HasSubstr("n2: stopped again")));
  expect_that_nothing_runs();
}

TEST_F(OverSsh, AHostWithoutSshdIsNamedAndNoneIsLeftRunning) {
  shells_->start("n1");
  Call up = call({"up", pathmap_});
  EXPECT_EQ(up.status(), 3);
  EXPECT_THAT(up.out(), AllOf(HasSubstr("n1: stopped again"), HasSubstr("n2: failed")));
  EXPECT_THAT(up.out(), HasSubstr("Connection refused"));
  expect_that_nothing_runs();
}

TEST_F(OverSsh, ASilentHostIsNamedWithinTheTimeoutAndNoneIsLeftRunning) {
  shells_->start("n1");
  silence("n2");
  // Enough for n1 on a busy machine. Then the ssh to n2 has 5 s to end, and that for the `down` there 15 s.
  Call up = start({"up", pathmap_, "--timeout", "20s"});
  EXPECT_EQ(up.status(180s), 3);
  EXPECT_THAT(up.out(), AllOf(HasSubstr("n1: stopped again"), HasSubstr("n2: failed")));
  EXPECT_THAT(up.out(), HasSubstr("no answer from tcp://" + hosts().address("n2")));
  expect_that_nothing_runs();
}

TEST_F(OverSsh, DownStopsTheReachableServersAndNamesASilentHost) {
  shells_->start("n1");
  shells_->start("n2");
  ASSERT_EQ(call({"up", pathmap_}).status(), 0);
  silence("n2");
  Call down = call({"down", pathmap_, "--timeout", "2s"});
  EXPECT_EQ(down.status(), 3);
  EXPECT_THAT(down.out(), AllOf(HasSubstr("n1: stopped"), HasSubstr("n2: failed")));
  EXPECT_THAT(servers(), SizeIs(1));
  hosts().network().plug("n2");
  EXPECT_EQ(call({"down", pathmap_}).status(), 0);
  expect_that_nothing_runs();
}

}  // namespace
}  // namespace eventspace
