#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <thread>

#include "scopes/reading/local_segments.h"
#include "scopes/reading/process_reports.h"
#include "tests/scopes/reading/process_talk.h"
#include "tests/tuplespace/other_namespaces.h"

// Processes of containers: they share /dev/shm with this process, but not ids and clocks.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::Namespaces;
using test::ProcessElsewhere;

constexpr auto a_day = std::chrono::hours(24);

std::uint64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

class OtherNamespaces : public testing::Test {
 protected:
  /// A process that makes its segment, with one event that ends when it is recorded, and waits to be killed.
  [[nodiscard]] std::unique_ptr<ProcessElsewhere> process_in(const Namespaces& namespaces) const {
    return std::make_unique<ProcessElsewhere>(namespaces, [this] {
      Segment::Config config = test::small_segment(directory.path());
      config.clock = {};
      timespec real{};
      clock_gettime(CLOCK_REALTIME, &real);
      config.clock.ticks = config.clock.monotonic_ns = monotonic_ns();
      config.clock.realtime_ns =
          static_cast<std::uint64_t>(real.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(real.tv_nsec);
      Segment segment(config);
      segment.bind_thread(0, ::gettid());
      TraceWriter writer = segment.writer(0);
      const auto& w = test::event(1, monotonic_ns(), monotonic_ns(), 7).words;
      writer.begin(w[1], w[2], w[3]);
      writer.end(w[4], w[5], w[6], w[7]);
      while (true) ::pause();
      return 0;
    });
  }
  [[nodiscard]] LocalSegments reader() const {
    return LocalSegments({"wind", "n1", 0xfeed, directory.path(), 0ns});
  }
  /// Waits until a segment with an event exists.
  [[nodiscard]] std::shared_ptr<const Generation> found() const {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < limit) {
      auto newest = reader().find("p0").newest;
      if (newest->segment != nullptr && newest->segment->traces()[0].reader.published() == 1) return newest;
      std::this_thread::sleep_for(1ms);
    }
    return nullptr;
  }
  [[nodiscard]] RunState state_of(const SegmentView& segment) const { return reader().state_of(segment); }
  [[nodiscard]] bool becomes(const SegmentView& segment, RunState state) const {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (state_of(segment) != state) {
      if (std::chrono::steady_clock::now() > limit) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  }
  /// The state of the process as seen from another PID namespace.
  [[nodiscard]] int state_seen_elsewhere() const {
    ProcessElsewhere watcher({}, [this] {
      const auto newest = reader().find("p0").newest;
      return newest->segment == nullptr ? 0 : static_cast<int>(state_of(*newest->segment));
    });
    return watcher.status();
  }

  test::TemporaryDirectory directory;
};

#define SKIP_WITHOUT(...) \
  if (const std::string why = test::why_no_namespaces(__VA_ARGS__); !why.empty()) GTEST_SKIP() << why

TEST_F(OtherNamespaces, FromOutsideAProcessIsSeenWithItsIdHere) {
  SKIP_WITHOUT({});
  auto process = process_in({});
  const auto newest = found();
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(newest->segment->pid(), 1) << "its id there";
  EXPECT_EQ(state_of(*newest->segment), RunState::running);
  LocalSegments segments = reader();
  const auto seen = segments.look_at(*newest->segment);
  ClockRate rate;
  const ProcessReport report = report_process(*newest->segment, {}, rate, seen.process.get());
  EXPECT_EQ(report.pid, process->pid());
  const std::size_t first = 0;
  const auto threads = report_threads(*newest->segment, std::span(&first, 1), seen.process.get());
  EXPECT_EQ(threads[0].tid, process->pid());
  EXPECT_TRUE(threads[0].is_known());
}

TEST_F(OtherNamespaces, FromOutsideAProcessIsStoppedAndKilled) {
  SKIP_WITHOUT({});
  auto process = process_in({});
  const auto newest = found();
  ASSERT_NE(newest, nullptr);
  ::kill(process->pid(), SIGSTOP);
  EXPECT_TRUE(becomes(*newest->segment, RunState::stopped));
  ::kill(process->pid(), SIGCONT);
  EXPECT_TRUE(becomes(*newest->segment, RunState::running));
  ::kill(process->pid(), SIGKILL);
  EXPECT_TRUE(becomes(*newest->segment, RunState::dead));
}

TEST_F(OtherNamespaces, FromANeighbourOneThatHoldsItsFileLivesAndAKilledOneIsDead) {
  SKIP_WITHOUT({});
  auto process = process_in({});
  ASSERT_NE(found(), nullptr);
  EXPECT_EQ(state_seen_elsewhere(), static_cast<int>(RunState::hidden));
  ::kill(process->pid(), SIGSTOP);
  EXPECT_EQ(state_seen_elsewhere(), static_cast<int>(RunState::hidden)) << "never running, and not dead";
  ::kill(process->pid(), SIGKILL);
  process.reset();
  EXPECT_EQ(state_seen_elsewhere(), static_cast<int>(RunState::dead));
}

TEST_F(OtherNamespaces, FromInsideAProcessOutsideLivesUntilItIsKilled) {
  SKIP_WITHOUT({});
  test::LiveProcess process(test::small_segment(directory.path()));
  EXPECT_EQ(state_seen_elsewhere(), static_cast<int>(RunState::hidden));
  process.kill();
  EXPECT_EQ(state_seen_elsewhere(), static_cast<int>(RunState::dead));
}

TEST_F(OtherNamespaces, AChildThatTheKilledProcessForkedDoesNotMakeItLive) {
  SKIP_WITHOUT({});
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = -1;
  const pid_t parent = test::fork_tied();
  if (parent == 0) {
    const Segment segment(test::small_segment(directory.path()));
    const pid_t forked = ::fork();
    if (forked == 0) {
      (void)!::write(ready[1], "r", 1);
      while (true) ::pause();
    }
    (void)!::write(ready[1], &forked, sizeof forked);
    while (true) ::pause();
  }
  char letters[1 + sizeof child];
  std::size_t size = 0;
  while (size < sizeof letters) {
    const ssize_t more = ::read(ready[0], letters + size, sizeof letters - size);
    ASSERT_GT(more, 0);
    size += static_cast<std::size_t>(more);
  }
  EXPECT_EQ(state_seen_elsewhere(), static_cast<int>(RunState::hidden));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_EQ(state_seen_elsewhere(), static_cast<int>(RunState::dead));
  std::memcpy(&child, letters[0] == 'r' ? letters + 1 : letters, sizeof child);
  ::kill(child, SIGKILL);
  ::close(ready[0]);
  ::close(ready[1]);
}

class OtherClocks : public OtherNamespaces, public testing::WithParamInterface<bool> {
 protected:
  [[nodiscard]] static Namespaces namespaces() { return {GetParam(), a_day}; }
};

TEST_P(OtherClocks, AProcessWhoseClockIsADayAheadRunsAndItsEventsHaveTheirTimesHere) {
  SKIP_WITHOUT(namespaces());
  const std::uint64_t before = monotonic_ns();
  auto process = process_in(namespaces());
  const auto newest = found();
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(state_of(*newest->segment), RunState::running);
  ClockRate rate;
  const NodeClock node;
  LocalSegments segments = reader();
  const ProcessReport report =
      report_process(*newest->segment, node, rate, segments.look_at(*newest->segment).process.get());
  const std::uint64_t end = decode(*newest->segment->traces()[0].reader.newest()).end;
  const BoundedTime time = report.on_node(end);
  EXPECT_GE(time.ns, static_cast<std::int64_t>(before));
  EXPECT_LE(time.ns, static_cast<std::int64_t>(monotonic_ns()));
  EXPECT_EQ(report.now_error_ns, 0);
  ::kill(process->pid(), SIGKILL);
  EXPECT_TRUE(becomes(*newest->segment, RunState::dead));
}

INSTANTIATE_TEST_SUITE_P(All, OtherClocks, testing::Bool(), [](const auto& tested) {
  return tested.param ? "WithIdsOfItsOwn" : "WithTheIdsOfHere";
});

TEST_F(OtherNamespaces, AfterAnotherBootTimesComeFromTheTimeOfDayAndHaveNoBound) {
  test::KilledProcesses killed(directory.path());
  timespec real{};
  clock_gettime(CLOCK_REALTIME, &real);
  const auto now_ns =
      static_cast<std::uint64_t>(real.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(real.tv_nsec);
  killed.leave(
      1, [](Segment::Config& config) { config.clock = {}; },
      [&](segment_layout::Header& header) {
        header.origin.boot += 1;
        header.clock.ticks = header.clock.monotonic_ns = 5'000'000'000;
        header.clock.realtime_ns = now_ns - 2'000'000'000;
      });
  const auto newest = reader().find("p0").newest;
  ASSERT_NE(newest->segment, nullptr);
  ClockRate rate;
  const ProcessReport report = report_process(*newest->segment, {}, rate);
  EXPECT_GE(report.now_ticks, 7'000'000'000u);
  EXPECT_LT(report.now_ticks, 3'600'000'000'000u);
  EXPECT_EQ(report.now_error_ns, 1'000'000'000'000'000'000);
}

}  // namespace
}  // namespace eventspace
