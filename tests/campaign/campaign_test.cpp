#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <list>
#include <random>

#include "pathmaps/pathmap.h"
#include "tests/campaign/actors.h"
#include "tests/campaign/runs.h"
#include "tests/monitors/workplace.h"

// Runs servers, a gateway, an application and monitors as processes. While the application records at full
// speed, the test kills, stops and restarts random ones. At the end, each monitor must account for each
// sequence number of each trace element: it was read once, or counted as lost, or belongs to a run that was
// named as missing.
//
//   EVENTSPACE_CAMPAIGN_SEED=N     repeats the random choices of an earlier test
//   EVENTSPACE_CAMPAIGN_SECONDS=N  the duration
namespace eventspace::testing_campaign {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing_commands::eventually;
using testing_commands::free_port;

constexpr const char* pathmap_text = R"(pathmap: 1
name: campaign
cluster:
  nodes:
    g1: {{host: 127.0.0.1, port: {}}}
    n1: {{host: 127.0.0.1, port: {}}}
    n2: {{host: 127.0.0.1, port: {}}}
    n3: {{host: 127.0.0.1, port: {}}}
  clusters:
    c1: {{gateway: g1, nodes: ['g1', 'n[1-2]']}}
    c2: {{gateway: n3, nodes: n3}}
application:
  threads: ['t[0-5]']
  elements:
    - {{name: 'log/{{thread}}', for: '*', tuple: [int], threshold: 10, when_full: discard}}
  paths:
    - {{thread: '*', name: often, element: 'log/{{thread}}', use: write}}
    - {{thread: '*', name: seldom, element: 'log/{{thread}}', use: write}}
placement:
  processes:
    p1: {{node: n1, threads: 't[0-1]'}}
    p2: {{node: n2, threads: 't[2-3]'}}
    p3: {{node: n3, threads: 't[4-5]'}}
collect: {{points: [{{at: thread, threshold: 3000}}]}}
limits: {{lease: 1500ms}}
scopes:
  nodes:
    read: next
    timeout: 500ms
    batch: 3000
    levels: [{{group: all, wrapper: gather}}, {{group: node, wrapper: gather}}]
  clusters:
    read: next
    timeout: 500ms
    levels:
      - {{group: all, wrapper: merge}}
      - {{group: cluster, wrapper: merge, timeout: 400ms}}
      - {{group: node, wrapper: merge, timeout: 300ms}}
      - {{group: thread, wrapper: gather}}
  threads:
    read: next
    timeout: 500ms
    batch: 500
    levels: [{{group: all, wrapper: gather, ask: in-turn}}, {{group: thread, wrapper: gather, timeout: 200ms}}]
  thirds:
    read: next
    timeout: 500ms
    levels:
      - {{group: all, wrapper: gather, late: {{skip: 300ms}}}}
      - {{group: node, timeout: 50ms, wrappers: [gather, {{filter: {{every: 3}}}}]}}
  counts:
    read: next
    timeout: 500ms
    most: 3000
    levels:
      - {{group: all, wrapper: {{aggregate: {{of: '1', as: count, by: path}}}}}}
      - {{group: cluster, late: skip, wrapper: {{aggregate: {{of: '1', as: count, by: path}}}}}}
      - {{group: node, timeout: 100ms, wrapper: {{aggregate: {{of: '1', as: count, by: path}}}}}}
)";

std::optional<std::uint64_t> from_environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::nullopt : std::optional<std::uint64_t>(std::strtoull(value, nullptr, 10));
}

class Campaign : public testing_commands::Workplace {
 protected:
  using Role = Actor::Role;
  using State = Actor::State;

  Campaign()
      : seed_(from_environment("EVENTSPACE_CAMPAIGN_SEED").value_or(std::random_device{}())),
        random_(seed_),
        pathmap_(write("campaign.yaml",
                       fmt::format(pathmap_text, free_port(), free_port(), free_port(), free_port()))),
        plan_(require_plan(pathmap_)),
        runs_(plan_, file("shm")) {
    std::cout << "EVENTSPACE_CAMPAIGN_SEED=" << seed_ << std::endl;
    for (const char* const node : {"g1", "n1", "n2", "n3"})
      add(Role::server, node, {EVENTSPACE_PROGRAM, "serve", pathmap_.string(), "--node", node});
    for (const char* const process : {"p1", "p2", "p3"})
      add(Role::application, process, {CAMPAIGN_APP, pathmap_.string(), process});
    for (const ScopeTree& scope : plan_.scopes)
      add(Role::monitor, scope.scope, {CAMPAIGN_MONITOR, pathmap_.string(), scope.scope});
  }
  ~Campaign() override {
    if (!HasFailure()) return;
    std::cout << "what was done:\n" << done_;
  }

  void add(Role role, const std::string& name, std::vector<std::string> command) {
    actors_.emplace_back(role, name, std::move(command), file(""));
    start(actors_.back());
  }
  void start(Actor& actor) {
    actor.start();
    if (actor.role() != Role::application) return;
    ASSERT_TRUE(eventually([&] {
      return runs_.note(plan_.find_process(actor.name())->number(), actor.pid());
    })) << actor.said().back();
  }

  // --- faults --------------------------------------------------------------------------------------

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  Time in_up_to(milliseconds most) {
    return steady_clock::now() + milliseconds(below(static_cast<std::uint64_t>(most.count())));
  }

  void play_until(Time end) {
    while (steady_clock::now() < end && !HasFatalFailure()) {
      ::poll(nullptr, 0, static_cast<int>(below(200)));
      for (Actor& actor : actors_) {
        if (actor.state() != State::runs && steady_clock::now() >= actor.until()) restore(actor);
      }
      auto chosen = actors_.begin();
      std::advance(chosen, static_cast<std::ptrdiff_t>(below(actors_.size())));
      if (chosen->state() == State::runs) hurt(*chosen);
    }
    for (Actor& actor : actors_) {
      if (actor.state() != State::runs) restore(actor);
    }
  }
  void hurt(Actor& actor) {
    const std::uint64_t choice = below(10);
    if (choice < 4) {
      note("stop", actor);
      actor.stop(in_up_to(2500ms));
    } else if (choice < 6 && actor.role() == Role::application) {
      note("end", actor);
      actor.end(in_up_to(300ms));
    } else {
      note("kill", actor);
      actor.kill(in_up_to(1000ms));
    }
  }
  void restore(Actor& actor) {
    note("restore", actor);
    if (actor.state() == State::stopped) return actor.go_on();
    start(actor);
  }
  void note(const char* what, const Actor& actor) {
    const auto at = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun_).count();
    done_ += fmt::format("{:>6}ms {} {} (pid {})\n", at, what, actor.name(), actor.pid());
  }

  // --- the end -------------------------------------------------------------------------------------

  template <class Act>
  void each(Role role, Act act) {
    for (Actor& actor : actors_) {
      if (actor.role() == role) act(actor);
    }
  }
  void end_all() {
    each(Role::application, [](Actor& actor) { actor.signal(SIGHUP); });
    each(Role::application, [](Actor& actor) {
      EXPECT_TRUE(eventually([&] { return actor.said().back().find("stopped") != std::string::npos; }))
          << actor.name();
    });
    each(Role::monitor, [](Actor& actor) {
      EXPECT_TRUE(eventually([&] { return actor.said().back().find("watching") != std::string::npos; }))
          << actor.name();
      actor.signal(SIGTERM);
    });
    each(Role::monitor, [](Actor& actor) {
      const ExitState state = actor.wait(2 * testing_commands::generous);
      EXPECT_TRUE(state.is_fine()) << actor.name() << " " << to_string(state) << "\n" << actor.said().back();
    });
  }
  void check_all() {
    each(Role::monitor, [this](Actor& actor) {
      std::size_t number = 0;
      for (const std::string& log : actor.said()) {
        for (const std::string& fault : runs_.check(log))
          ADD_FAILURE() << actor.name() << ", its process " << number << ": " << fault;
        ++number;
      }
    });
    each(Role::server,
         [](Actor& actor) { EXPECT_FALSE(actor.has_ended()) << actor.name() << actor.said().back(); });
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::filesystem::path pathmap_;
  Plan plan_;
  Runs runs_;
  std::list<Actor> actors_;
  Time begun_{steady_clock::now()};
  std::string done_;
};

TEST_F(Campaign, EachRecordIsAccountedForOnceWhenProcessesAreKilledOrStopped) {
  const std::chrono::seconds length(from_environment("EVENTSPACE_CAMPAIGN_SECONDS").value_or(30));
  play_until(steady_clock::now() + length);
  end_all();
  check_all();
}

}  // namespace
}  // namespace eventspace::testing_campaign
