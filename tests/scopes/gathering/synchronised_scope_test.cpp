#include <gtest/gtest.h>

#include "collectors/clock.h"
#include "scopes/scope.h"
#include "scopes/wrappers/convert.h"
#include "tests/hosts/delay_proxy.h"
#include "tests/paths/links/free_port.h"
#include "tests/scopes/gathering/odd_clock.h"
#include "tests/scopes/reading/process_talk.h"
#include "tests/scopes/reading/reading_server.h"

// Nodes with unrelated clocks, and a consumer that orders their events.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::OddClock;
using testing_hosts::DelayProxy;

/// The node of one process, p0 or p1, with its server.
struct OddNode {
  OddNode(std::uint32_t number, OddClock& with, const PlanNames& names) : process(number), clock(with) {
    Segment::Config config = test::small_segment(directory.path());
    config.identity.process = "p" + std::to_string(number);
    const std::uint64_t now = clock.at(Clock::monotonic_now());
    config.clock = {ClockSource::monotonic, 0, now, now, 1'000'000'000'000, 1.0, 0.0};
    segment = std::make_unique<Segment>(config);
    writer = segment->writer(0);
    start(names);
  }
  void start(const PlanNames& names, const std::set<std::string>& endpoints = {}) {
    server.reset();
    server = std::make_unique<test::ReadingServer>(port, directory.path(), names, clock.clock(), endpoints);
  }
  /// Records an event that began then and lasted one microsecond.
  void record(std::uint64_t true_ns) {
    const auto& w =
        test::event(++recorded, clock.at(true_ns), clock.at(true_ns + 1000), process * 10 + 7).words;
    writer.begin(w[1], w[2], w[3]);
    writer.end(w[4], w[5], w[6], w[7]);
  }

  std::uint32_t process;
  OddClock& clock;
  std::uint16_t port{test::free_port()};
  test::TemporaryDirectory directory;
  std::unique_ptr<Segment> segment;
  TraceWriter writer;
  std::uint64_t recorded{0};
  std::unique_ptr<test::ReadingServer> server;
};

class SynchronisedScopeTest : public testing::Test {
 protected:
  /// A part of the scope that reads a process on its node.
  static ScopeNode reading(const OddNode& node, std::uint16_t port, std::vector<std::string> route = {}) {
    ScopeNode read;
    read.wrapper = "read";
    read.sources = {{3, node.process}};
    ScopeNode part;
    part.name = part.node = "n" + std::to_string(node.process);
    part.wrapper = "gather";
    part.endpoint = test::local_endpoint(port);
    part.route = std::move(route);
    part.children = {read};
    return part;
  }
  static ScopeNode converting(ScopeNode child) {
    ScopeNode convert;
    convert.name = "convert";
    convert.wrapper = "convert";
    convert.parameters = {{"clock", std::string("synchronised")}};
    convert.children = {std::move(child)};
    return convert;
  }
  /// Merges the views of its parts.
  static ScopeTree tree_of(std::vector<ScopeNode> parts) {
    ScopeTree tree;
    tree.scope = "events";
    tree.fingerprint = 0xfeed;
    tree.next = true;
    tree.root.name = "all";
    tree.root.wrapper = "merge";
    tree.root.children = std::move(parts);
    return tree;
  }
  void open(std::vector<ScopeNode> parts) {
    ScopeTree tree = tree_of(std::move(parts));
    std::set<std::string> endpoints;
    for (const ScopeNode& part : tree.root.children) collect(part, endpoints);
    scope.emplace(std::move(tree), ScopeSurroundings{&links, &found, &names, 0xfeed, endpoints});
  }
  static void collect(const ScopeNode& node, std::set<std::string>& endpoints) {
    if (!node.endpoint.empty()) endpoints.insert(node.endpoint);
    endpoints.insert(node.route.begin(), node.route.end());
    for (const ScopeNode& child : node.children) collect(child, endpoints);
  }
  /// Pulls until nothing is missing.
  void pull() {
    const Deadline limit = Deadline::after(20s);
    do {
      view = scope->pull({Deadline::after(5s), false});
    } while (!view.missing.empty() && !limit.passed());
    ASSERT_TRUE(view.missing.empty()) << view.missing.front().detail;
  }
  /// Both nodes record in turn, one event every 100 ms of the last seconds; the first of them is of node 0.
  void record_in_turn(std::size_t count) {
    const std::uint64_t now = Clock::monotonic_now();
    for (std::size_t i = 0; i < count; ++i) {
      truth.push_back(now - 100'000'000 * (count - i));
      (i % 2 == 0 ? first : second).record(truth.back());
    }
  }
  /// Compares the time of every event of the last pull with the true time.
  void expect_in_order_and_within_bounds(std::size_t from = 0) {
    ASSERT_EQ(view.records.size(), truth.size() - from);
    for (std::size_t i = from; i < truth.size(); ++i) {
      const EventRecord record = decode(view.records[i - from]);
      EXPECT_EQ(record.thread, i % 2 == 0 ? 7u : 17u) << i;
      const auto process =
          std::find_if(view.processes.begin(), view.processes.end(),
                       [&](const auto& report) { return report.process == record.thread / 10; });
      ASSERT_NE(process, view.processes.end());
      const BoundedTime here = process->here(record.start);
      EXPECT_EQ(here.ns, static_cast<std::int64_t>(record.start - synchronised_epoch));
      ASSERT_TRUE(here.error_ns);
      EXPECT_LE(std::abs(here.ns - static_cast<std::int64_t>(truth[i])), *here.error_ns + unsure_ns) << i;
    }
  }
  /// Both nodes record again and again, and each pull returns their events in order, without loss.
  void record_and_pull_times(int times) {
    for (int i = 0; i < times; ++i) {
      const std::size_t before = truth.size();
      record_in_turn(4);
      ASSERT_NO_FATAL_FAILURE(pull());
      expect_in_order_and_within_bounds(before);
      EXPECT_EQ(view.loss, Loss{});
    }
  }
  [[nodiscard]] const ClockRelation& relation(std::size_t process) const {
    return view.processes.at(process).relation;
  }

  test::PlainNames names;
  OddClock hours_ahead{3 * 3600'000'000'000, 80, 0xa};
  OddClock hours_behind{-40'000'000'000, -90, 0xb};  // machines are up for longer than that
  OddNode first{0, hours_ahead, names};
  OddNode second{1, hours_behind, names};
  test::TemporaryDirectory nothing;
  Network network;
  LinkPool links{network};
  LocalSegments found{{"wind", "n9", 0xfeed, nothing.path()}};
  std::optional<LocalSegments> found_here;
  std::optional<EventScope> scope;
  View view;
  std::vector<std::uint64_t> truth;
  std::int64_t unsure_ns{0};  // bound of the test's own error
};

TEST_F(SynchronisedScopeTest, EventsOfNodesWhoseClocksDifferByHoursComeInTheOrderOfTime) {
  open({converting(reading(first, first.port)), converting(reading(second, second.port))});
  ASSERT_NO_FATAL_FAILURE(record_and_pull_times(6));
}

TEST_F(SynchronisedScopeTest, WithoutItTheirTimesMeanNothingToEachOther) {
  open({reading(first, first.port), reading(second, second.port)});
  record_in_turn(4);
  ASSERT_NO_FATAL_FAILURE(pull());
  std::vector<std::uint32_t> threads;
  for (const TraceTuple& tuple : view.records) threads.push_back(decode(tuple).thread);
  EXPECT_EQ(threads, (std::vector<std::uint32_t>{17, 17, 7, 7}));
  EXPECT_GT(std::abs(relation(0).offset_ns), 3'599'000'000'000);  // known nevertheless
}

TEST_F(SynchronisedScopeTest, WhenOneWayTakesLongerTheTrueTimeIsStillWithinTheBound) {
  const DelayProxy slow_there({"127.0.0.1", "127.0.0.1", first.port, 30ms, 0ms});
  const DelayProxy slow_back({"127.0.0.1", "127.0.0.1", second.port, 0ms, 25ms});
  open({converting(reading(first, slow_there.port())), converting(reading(second, slow_back.port()))});
  ASSERT_NO_FATAL_FAILURE(record_and_pull_times(3));
  EXPECT_GT(relation(0).error_ns, 14'000'000);
  EXPECT_GT(relation(1).error_ns, 11'000'000);
}

/// The same through the server of a third node with a third clock.
class GatewaySynchronisedScopeTest : public SynchronisedScopeTest {
 protected:
  GatewaySynchronisedScopeTest() {
    gateway.emplace(gate_port, nothing.path(), names, middle.clock(),
                    std::set{test::local_endpoint(proxy.port()), test::local_endpoint(second.port)});
  }
  OddClock middle{777'000'000'000, 60, 0xc};
  DelayProxy proxy{{"127.0.0.1", "127.0.0.1", first.port, 12ms, 0ms}};
  std::uint16_t gate_port{test::free_port()};
  std::optional<test::ReadingServer> gateway;
};

TEST_F(GatewaySynchronisedScopeTest, ThroughOneThatForwardsTheHopsAddUp) {
  const std::vector<std::string> route{test::local_endpoint(gate_port)};
  open({converting(reading(first, proxy.port(), route)), converting(reading(second, second.port, route))});
  ASSERT_NO_FATAL_FAILURE(record_and_pull_times(3));
  EXPECT_GT(relation(0).error_ns, 5'000'000);
}

TEST_F(GatewaySynchronisedScopeTest, BelowALevelThatItRunsTooAndConvertedThere) {
  for (const bool converted_there : {false, true}) {
    ScopeNode part;
    part.name = part.node = "n2";
    part.wrapper = "merge";
    part.endpoint = test::local_endpoint(gate_port);
    const auto leaf = [&](const OddNode& node, std::uint16_t port) {
      return converted_there ? converting(reading(node, port)) : reading(node, port);
    };
    part.children = {leaf(first, proxy.port()), leaf(second, second.port)};
    open({converting(part)});
    if (!converted_there) record_in_turn(4);  // the other scope reads kept events again
    ASSERT_NO_FATAL_FAILURE(pull());
    std::stable_sort(view.records.begin(), view.records.end(),
                     [](const auto& a, const auto& b) { return decode(a).start < decode(b).start; });
    expect_in_order_and_within_bounds();
  }
}

TEST_F(SynchronisedScopeTest, AServerThatStartsAnewRepeatsNothingThoughItsTimesAreEstimatedAnew) {
  open({converting(reading(first, first.port)), converting(reading(second, second.port))});
  record_in_turn(4);
  ASSERT_NO_FATAL_FAILURE(pull());
  first.start(names);
  record_in_turn(2);
  std::size_t came = 0;
  for (const Deadline limit = Deadline::after(20s); came < 2 && !limit.passed();) {
    view = scope->pull({Deadline::after(1s), false});
    came += view.records.size();
  }
  EXPECT_EQ(came, 2u);
  EXPECT_EQ(relation(0).jumps, 0u);
}

TEST_F(SynchronisedScopeTest, AClockThatJumpsIsCountedAndNoTimeBeforeHasABound) {
  open({converting(reading(first, first.port))});
  const std::uint64_t before = Clock::monotonic_now();
  first.record(before);
  ASSERT_NO_FATAL_FAILURE(pull());
  EXPECT_EQ(relation(0).jumps, 0u);
  hours_ahead.step(1h);
  first.record(Clock::monotonic_now());
  ASSERT_NO_FATAL_FAILURE(pull());
  EXPECT_EQ(relation(0).jumps, 1u);
  const std::int64_t now = static_cast<std::int64_t>(Clock::monotonic_now());
  EXPECT_FALSE(
      relation(0).here(static_cast<std::int64_t>(before)).error_ns);  // by the clock that is read here
  EXPECT_TRUE(relation(0).here(now).error_ns);
}

// One node with a process that uses the counter, and one that uses CLOCK_MONOTONIC because it does not trust
// it.
TEST_F(SynchronisedScopeTest, ProcessesWithAndWithoutAUsableCounterAgree) {
  test::TemporaryDirectory directory;
  const ClockCalibration& counter = Clock::instance().calibration();
  const std::uint64_t now_ns = Clock::monotonic_now();
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<TraceWriter> writers;
  for (const char* process : {"p0", "p1"}) {
    Segment::Config config = test::small_segment(directory.path());
    config.identity.process = process;
    config.clock = counter;
    if (segments.size() == 1)
      config.clock = {ClockSource::monotonic, 0, now_ns, now_ns, counter.realtime_ns, 1.0, 0.0};
    segments.push_back(std::make_unique<Segment>(config));
    writers.push_back(segments.back()->writer(0));
  }
  for (std::size_t i = 0; i < 8; ++i) {  // in turn, one after the other
    const bool counts = i % 2 == 0;
    const std::uint64_t before = Clock::monotonic_now();
    const std::uint64_t ticks = counts ? Clock::instance().now() : Clock::monotonic_now();
    const std::uint64_t after = Clock::monotonic_now();
    truth.push_back((before + after) / 2);
    unsure_ns = std::max(unsure_ns, static_cast<std::int64_t>(after - before));
    const auto& w = test::event(i / 2 + 1, ticks, ticks + 1, counts ? 7 : 17).words;
    writers[i % 2].begin(w[1], w[2], w[3]);
    writers[i % 2].end(w[4], w[5], w[6], w[7]);
    while (Clock::monotonic_now() < before + 2'000'000) {  // longer than any bound
    }
  }
  found_here.emplace(LocalSegments::Config{"wind", "n1", 0xfeed, directory.path()});
  std::vector<ScopeNode> parts;
  for (const OddNode* node : {&first, &second}) {
    parts.push_back(converting(reading(*node, 1)));
    parts.back().children[0].endpoint.clear();
  }
  scope.emplace(tree_of(std::move(parts)), ScopeSurroundings{nullptr, &*found_here, &names, 0xfeed, {}});
  view = scope->pull({});
  expect_in_order_and_within_bounds();
}

}  // namespace
}  // namespace eventspace
