#include "monitors/top/sampler.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <chrono>

#include "pathmaps/pathmap.h"
#include "scopes/tree/newest_of_each.h"

// The sampler and its thread, with an application that does not run and servers that do not answer.
namespace eventspace::top {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr const char* nobody = R"(
pathmap: 1
name: nobody
cluster: {nodes: {n1: {host: 127.0.0.1, port: 1}, n2: {host: 127.0.0.1, port: 2}}}
application:
  threads: [a, b]
  elements: [{name: "log/{thread}", for: "*", tuple: [int]}]
  paths: [{thread: "*", name: log, element: "log/{thread}", use: write}]
placement: {processes: {p0: {node: n1, threads: a}, p1: {node: n2, threads: b}}}
collect: {points: [{at: thread}]}
scopes: {heartbeat: {levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}}
)";

class TopSampler : public testing::Test {
 protected:
  Looker looker(std::chrono::nanoseconds interval = 1ms) {
    LoadResult loaded = parse_plan(nobody, "nobody.yaml");
    const auto plan = std::make_shared<const Plan>(std::move(loaded.plan.value()));
    return {Consumer(plan),
            newest_of_each(*plan->find_scope("heartbeat")),
            "",
            {.interval = interval, .timeout = 10ms},
            time};
  }
  // Waits for the next sample.
  static Sample next(Sampler& sampler) {
    while (true) {
      pollfd ready{sampler.descriptor(), POLLIN, 0};
      ::poll(&ready, 1, -1);
      if (auto sample = sampler.take()) return std::move(*sample);
    }
  }
  RealTime time;
};

TEST_F(TopSampler, TakesThemOneAfterTheOther) {
  Looker looker = this->looker();
  Sampler sampler(looker);
  const Sample first = next(sampler);
  const Sample second = next(sampler);
  EXPECT_THAT(first.view.missing, SizeIs(2));
  EXPECT_THAT(first.servers, IsEmpty());
  EXPECT_GT(second.cost.pulls, first.cost.pulls);
}

TEST_F(TopSampler, AsksServersOnRequest) {
  Looker looker = this->looker();
  Sampler sampler(looker);
  sampler.set_with_servers(true);
  Sample sample = next(sampler);
  while (sample.servers.empty()) sample = next(sampler);
  ASSERT_THAT(sample.servers, SizeIs(2));
  EXPECT_EQ(sample.servers[0].answer, Answer::silent);
}

// A silent server would otherwise delay the verdicts on the others.
TEST_F(TopSampler, PullsAtTheHeartbeatsPace) {
  LoadResult loaded = parse_plan(nobody, "nobody.yaml");
  const auto plan = std::make_shared<const Plan>(std::move(loaded.plan.value()));
  ScopeTree tree = newest_of_each(*plan->find_scope("heartbeat"));
  tree.root.timeout = 20ms;
  Looker looker(Consumer(plan), tree, "", {.stall = 40ms}, time);
  EXPECT_EQ(looker.pace().interval(), 20ms);
  EXPECT_EQ(looker.pace().timeout(), 20ms);
  {
    Sampler sampler(looker);
    while (next(sampler).cost.pulls < 2) {
    }
  }
  EXPECT_EQ(looker.pace().timeout(), 10ms);
}

TEST_F(TopSampler, StopsWhenPausedAndResumes) {
  Looker looker = this->looker();
  Looker other = this->looker();
  Sampler sampler(looker);
  next(sampler);
  sampler.set_paused(true);
  int looks_without = 0;  // by a second sampler, whose pulls take as long
  for (int i = 0; i < 1000 && looks_without < 10; ++i) {
    other.look({});
    looks_without = sampler.take() ? 0 : looks_without + 1;
  }
  EXPECT_EQ(looks_without, 10);
  sampler.set_paused(false);
  EXPECT_THAT(next(sampler).view.missing, SizeIs(2));
}

TEST_F(TopSampler, EndsWhileItWaitsEvenIfPaused) {
  Looker looker = this->looker(24h);
  { Sampler sampler(looker); }
  Sampler sampler(looker);
  next(sampler);
  sampler.set_paused(true);
}

}  // namespace
}  // namespace eventspace::top
