#include "monitors/web/documents/metric_watch.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/pathmaps/observing/observed_pair.h"
#include "tests/pathmaps/observing/record_once.h"

namespace eventspace::web {
namespace {

using namespace std::chrono_literals;

// Nothing answers at the discard port, so each metric waits for as long as it may.
constexpr const char* silent = R"(pathmap: 1
name: silent
cluster: {nodes: {here: {host: 127.0.0.1, port: 9}}}
application:
  threads: [a]
  elements: [{name: box, tuple: [int]}]
  paths: [{thread: a, name: box, element: box, use: write}]
placement: {processes: {p: {node: here, threads: "*"}}}
collect: {threshold: 8, points: [{at: thread}]}
)";

TEST(MetricWatchTest, MetricsShareThePatienceOfALook) {
  const test::SegmentDirectory directory;
  const std::filesystem::path pathmap = directory.path() / "silent.yaml";
  std::ofstream(pathmap) << silent;
  const Watched watched = find_watched(pathmap, "");
  Consumer consumer = consumer_of(watched);
  RealTime timeline;
  MetricWatch metrics(metric_choice({}, {}));
  metrics.start(watched, consumer, timeline);
  WantedParts wanted;
  for (const char* const name : {"Operation_count", "Operation_delay", "Send_count", "Send_delay",
                                 "Receive_count", "Receive_delay", "Waiting_count", "Waiting_delay"})
    wanted.names.insert("metric/" + std::string(name));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(metrics.read(wanted, timeline.now(), 200ms), testing::SizeIs(8));
  const auto elapsed = std::chrono::steady_clock::now() - began;
  EXPECT_GE(elapsed, 100ms);
  EXPECT_LT(elapsed, 800ms) << "eight times the patience would be 1600 ms";
}

/// The end of a recording of which each of the first pulls leaves some events behind.
class LongRecording final : public Timeline {
 public:
  explicit LongRecording(Replay& replay) : end_(std::chrono::nanoseconds(replay.end_ns())) {
    replay.set_now_ns(replay.end_ns());
  }
  [[nodiscard]] Time now() const override { return end_; }
  [[nodiscard]] bool wait(std::chrono::nanoseconds) override { return true; }
  /// Asked before and after each pull.
  [[nodiscard]] bool has_rest() const override { return ++asked_ < 6; }

 private:
  Time end_;
  mutable int asked_{0};
};

class RecordedMetricTest : public test::ObservedPair {};

TEST_F(RecordedMetricTest, IsReadByOnePullInEachLook) {
  write("a", 8);
  const auto recording = directory_.path() / "run.evs";
  test::record_once(recording, pathmap_);
  const Watched watched = find_watched(recording, "", Recordings::accepted);
  Consumer consumer = consumer_of(watched);
  LongRecording timeline(watched.recorded->replay());
  MetricWatch metrics(metric_choice({}, {}));
  metrics.start(watched, consumer, timeline);
  const auto look = [&] {
    const auto parts = metrics.read({.names = {"metric/Operation_count"}}, timeline.now(), 1s);
    return nlohmann::json::parse(parts.at(0).second.dump());
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(look()["is_whole"], false);
    EXPECT_TRUE(metrics.has_rest());
  }
  const auto last = look();
  EXPECT_EQ(last["is_whole"], true);
  EXPECT_EQ(last["value"], nlohmann::json({8}));
  EXPECT_FALSE(metrics.has_rest());
}

}  // namespace
}  // namespace eventspace::web
