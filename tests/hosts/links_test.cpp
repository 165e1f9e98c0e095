#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <optional>

#include "tests/hosts/delay_proxy.h"
#include "tests/hosts/gathered.h"
#include "tests/hosts/hosts_ground.h"
#include "tests/monitors/observed_tunnel.h"

// Links between hosts that are down, slow or long. Monitors report missing hosts, applications are not
// disturbed, and events are neither lost nor repeated.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_commands::Call;
using testing_commands::free_port;
using testing_commands::ObservedTunnel;
using testing_commands::read_text;
using testing_hosts::DelayProxy;
using testing_hosts::Gathered;
using testing_hosts::HostNetwork;

// A scope that reads many events in one pull, with a long timeout.
constexpr const char* bulk_scope =
    "  bulk:\n"
    "    read: next\n"
    "    batch: 1000000\n"
    "    timeout: 60s\n"
    "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n";

// Thread a on host n1 and thread b on n2 each write to their own path about once a millisecond.
class Links : public testing_commands::Observed {
 protected:
  void SetUp() override {
    observe(tiny(free_port(), free_port(), std::string(testing_commands::monitors_scopes) + bulk_scope),
            {a, b});
    serve("n1");
    server2_ = &serve("n2");
    application_.emplace(start({"run", pathmap_, "--", TINY_APP}));
    see_all_running();
  }
  HostNetwork& network() { return testing_hosts::network_of(ground()); }

  static View pull(EventScope& scope, std::chrono::nanoseconds limit) {
    return scope.pull({Deadline::after(limit), false});
  }
  // Pulls until `more` further events of each thread have arrived.
  void gather(EventScope& scope, Gathered& gathered, std::uint64_t more = 500) {
    const std::uint64_t of_a = gathered.events_of(a) + more;
    const std::uint64_t of_b = gathered.events_of(b) + more;
    EXPECT_TRUE(testing_commands::eventually([&] {
      gathered.add(pull(scope, 1s));
      return HasFailure() || (gathered.events_of(a) >= of_a && gathered.events_of(b) >= of_b);
    })) << logs();
  }
  void see_events_recorded(std::uint64_t count) {
    see([count](const HealthReport& report) {
      return report.threads[b].last && report.threads[b].last->sequence >= count;
    });
  }
  // Checks the first report after the fault, which must already name n2.
  void expect_that_n2_is_missing_at_once() {
    const HealthReport report = look();
    EXPECT_THAT(view_.missing, ElementsAre(AllOf(Field(&Missing::node, "n2"),
                                                 Field(&Missing::cause, MissingCause::no_answer))));
    EXPECT_EQ(report.threads[a].verdict, Verdict::running);
    EXPECT_EQ(report.threads[b].verdict, Verdict::unreachable);
  }
  // Checks that a pull with a short deadline misses n2, and one with a long deadline does not.
  static void expect_that_only_patience_gives_the_whole(Consumer& consumer) {
    EventScope scope = consumer.open("bulk");
    Gathered gathered;
    const View part = pull(scope, hasty);
    gathered.add(part);
    EXPECT_THAT(part.missing, ElementsAre(Field(&Missing::node, "n2")));
    EXPECT_GT(gathered.events_of(a), 0u);
    EXPECT_EQ(gathered.events_of(b), 0u);

    const View whole = pull(scope, testing_commands::generous);
    gathered.add(whole);
    EXPECT_THAT(whole.missing, IsEmpty());
    EXPECT_GT(gathered.events_of(b), 0u);
  }

  static constexpr std::chrono::milliseconds hasty{1500};
  static constexpr const char* slow = "500kbit";  // 4000 events take four seconds
  static constexpr std::uint32_t a = 0;           // numbers of the threads, and also of their paths
  static constexpr std::uint32_t b = 1;
  ChildProcess* server2_{nullptr};
  std::optional<Call> application_;
};

TEST_F(Links, EveryEventComesOnceAndInOrder) {
  EventScope events = consumer_->open("events");
  Gathered gathered;
  gather(events, gathered, 2000);
}

TEST_F(Links, AKilledServerIsMissingAndNoEventIsLostWhenItIsBack) {
  EventScope events = consumer_->open("events");
  Gathered gathered;
  gather(events, gathered);
  server2_->signal(SIGKILL);
  server2_->wait();
  expect_that_n2_is_missing_at_once();
  serve("n2");
  see_all_running();
  EXPECT_THAT(view_.missing, IsEmpty());
  gather(events, gathered);
}

TEST_F(Links, AHostWhoseLinkIsDownIsMissingItsApplicationGoesOnAndNoEventIsLost) {
  EventScope events = consumer_->open("events");
  Gathered gathered;
  gather(events, gathered);
  network().unplug("n2");
  expect_that_n2_is_missing_at_once();

  Call there =
      start({"heartbeat", pathmap_, "--once", "--format", "csv", "--timeout", "2s", "--stall", "30s"},
            ground().launch("n2"));
  there.status();
  EXPECT_THAT(there.out(), HasSubstr(",b,running,0,")) << there.err();
  EXPECT_THAT(there.out(), HasSubstr(",a,unreachable,1,"));

  network().plug("n2");
  see_all_running();
  EXPECT_THAT(view_.missing, IsEmpty());
  gather(events, gathered);
}

TEST_F(Links, OverASlowLinkAPullInTimeIsPartialAndALaterOneComplete) {
  see_events_recorded(4000);
  if (!network().try_limit_rate("n2", slow)) GTEST_SKIP() << "this kernel has no tbf";
  expect_that_only_patience_gives_the_whole(*consumer_);
}

TEST_F(Links, EventsOfALateReplyArriveWithALaterPull) {
  see_events_recorded(4000);
  EventScope bulk = consumer_->open("bulk");
  Gathered gathered;
  if (!network().try_limit_rate("n2", slow)) GTEST_SKIP() << "this kernel has no tbf";
  gathered.add(pull(bulk, hasty));
  EXPECT_EQ(gathered.events_of(b), 0u);
  network().unlimit("n2");
  gather(bulk, gathered, 4000);
}

TEST_F(Links, OverALongLinkOnlyAPullWithALongDeadlineIsComplete) {
  constexpr std::chrono::milliseconds far{700};
  std::string text = read_text(pathmap_);
  std::optional<DelayProxy> proxy;
  if (!network().try_delay("n2", far)) {
    const NodePlan& node = consumer_->plan().nodes[NodeIndex(1)];
    proxy.emplace(DelayProxy::Config{"127.0.0.1", node.host, node.port, far});
    const std::string direct = fmt::format("host: {}, port: {}", node.host, node.port);
    text.replace(text.find(direct), direct.size(), fmt::format("host: 127.0.0.1, port: {}", proxy->port()));
  }
  Consumer monitor(write("far.yaml", text));
  expect_that_only_patience_gives_the_whole(monitor);
}

// --- an application that needs the link itself ---

TEST_F(ObservedTunnel, WaitsForALinkThatIsDownAndGoesOnWhenItIsUp) {
  start_all();
  see_all_running();
  testing_hosts::network_of(ground()).unplug("n2");
  see(verdict_is(2, Verdict::unreachable));
  see(verdict_is(0, Verdict::stuck));
  testing_hosts::network_of(ground()).plug("n2");
  see_all_running();
  see_progress(0);
  see_progress(2);
}

}  // namespace
}  // namespace eventspace
