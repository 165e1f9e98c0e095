#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/own_process.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "tests/pathmaps/sessions/gateway_pathmap.h"
#include "tests/pathmaps/sessions/node_servers.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/tuplespace/segment_directory.h"

// Pulls that consumers record themselves, read like records of processes without a pathmap.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string pathmap_with_observed_consumer() {
  return test::pathmap_behind_gateway(
      "seen",
      "  watched:\n    threads: [a, b]\n    timeout: 5s\n    collect: {consumer: true, threshold: 3}\n"
      "    levels: [{group: all, wrapper: gather}, {group: process, wrapper: gather}]\n"
      "  plain: {threads: [a, b], timeout: 5s, shape: by-node}\n"
      "  direct: {threads: [a, b], direct: true, collect: {consumer: true}, levels: [{group: all, wrapper: "
      "gather}]}\n"
      "  monitors:\n    read: next\n    threads: [a, b]\n    unplanned: true\n    timeout: 5s\n"
      "    levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]\n");
}

class ConsumerPathsTest : public testing::Test {
 protected:
  ConsumerPathsTest() {
    plan = test::shared_plan(parse_plan(pathmap_with_observed_consumer(), "consumer_paths_test.yaml"));
    servers = test::started_servers(plan);
    consumer.emplace(plan);
    reader.emplace(plan);
    monitors.emplace(reader->open("monitors"));
  }
  ~ConsumerPathsTest() override { ::unsetenv("EVENTSPACE_COLLECT"); }

  static void pull(EventScope& scope, int times = 1) {
    for (int i = 0; i < times; ++i) (void)scope.pull({.deadline = Deadline::after(5s)});
  }
  /// The pulls as read by a further consumer: "watched: pull answer", by thread without the process.
  std::vector<std::string> recorded() {
    reader->look();
    const View view = monitors->pull({.deadline = Deadline::after(5s), .with_threads = true, .at = {}});
    discarded = view.loss.discarded;
    std::vector<std::string> seen;
    for_each_event(view.records,
                   [&](std::span<const TraceTuple> records) { seen.push_back(describe(records)); });
    return seen;
  }
  [[nodiscard]] std::string describe(std::span<const TraceTuple> records) const {
    const ObservedEvent event{records.back(), nullptr, records.first(records.size() - 1)};
    const auto text = [&](const char* field) {
      return std::string(FieldReader(field).text(event, reader->names()).value_or("?"));
    };
    std::string thread = text("thread");
    const std::string process = own_process_name() + "/scopes";
    if (thread.starts_with(process)) thread.erase(0, process.size());
    return thread.substr(thread.find('/') + 1) + ": " + text("verb") + " " + text("path");
  }

  test::SegmentDirectory directory;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<NodeServer>> servers;
  std::optional<Consumer> consumer;
  std::optional<Consumer> reader;
  std::optional<EventScope> monitors;
  std::uint64_t discarded{0};
};

TEST_F(ConsumerPathsTest, APullIsRecordedAsTheConsumerSeesItAndForEachPartThatItAsks) {
  EventScope watched = consumer->open("watched");
  pull(watched);
  EXPECT_THAT(recorded(),
              UnorderedElementsAre("watched: pull answer", "watched: pull ask/n1", "watched: pull ask/n2"));
  pull(watched);
  EXPECT_THAT(recorded(),
              UnorderedElementsAre("watched: pull answer", "watched: pull ask/n1", "watched: pull ask/n2"));
}

TEST_F(ConsumerPathsTest, OnlyScopesThatSaySoAreRecorded) {
  EventScope plain = consumer->open("plain");
  pull(plain);
  EXPECT_THAT(recorded(), IsEmpty());
  EventScope watched = consumer->open("watched");
  pull(watched);
  pull(plain);
  EXPECT_THAT(recorded(), Each(HasSubstr("watched")));
}

TEST_F(ConsumerPathsTest, APullWithoutServersIsRecorded) {
  EventScope direct = consumer->open("direct");
  pull(direct);
  EXPECT_THAT(recorded(), ElementsAre("direct: pull answer"));
}

TEST_F(ConsumerPathsTest, TheNewestPullsAreKeptAndTheOthersCounted) {
  EventScope watched = consumer->open("watched");
  pull(watched);
  EXPECT_EQ(recorded().size(), 3u);
  pull(watched, 5);
  EXPECT_EQ(recorded().size(), 9u);
  EXPECT_EQ(discarded, 6u);
}

TEST_F(ConsumerPathsTest, AScopeThatIsOpenedAgainGoesOnInItsTraceElements) {
  for (int times = 0; times < 4; ++times) {
    EventScope watched = consumer->open("watched");
    pull(watched);
    EXPECT_EQ(recorded().size(), 3u);
  }
  EXPECT_EQ(discarded, 0u);
  EventScope watched = consumer->open("watched");
  pull(watched, 4);
  EXPECT_EQ(recorded().size(), 9u);
  EXPECT_EQ(discarded, 3u);
}

TEST_F(ConsumerPathsTest, ConsumersOfOneProcessRecordApart) {
  Consumer other(plan);
  EventScope direct = consumer->open("direct");
  EventScope same = other.open("direct");
  pull(direct);
  pull(same, 2);
  EXPECT_EQ(recorded().size(), 3u);
}

TEST_F(ConsumerPathsTest, NothingIsRecordedWhereCollectingIsOff) {
  ::setenv("EVENTSPACE_COLLECT", "0", 1);
  EventScope watched = consumer->open("watched");
  pull(watched);
  EXPECT_THAT(recorded(), IsEmpty());
}

std::string faults_of(const std::string& scope) {
  const LoadResult loaded = parse_plan(test::pathmap_behind_gateway("seen", scope), "x.yaml");
  std::string text;
  for (const Fault& fault : loaded.faults) text += to_string(fault) + "\n";
  return text;
}

TEST(ConsumerPathsFaultTest, AScopeCannotReadWhatItsOwnConsumersRecord) {
  EXPECT_THAT(faults_of("  s: {threads: a, unplanned: true, collect: {consumer: true}, shape: by-node}\n"),
              HasSubstr("the scope would observe itself"));
}

TEST(ConsumerPathsFaultTest, ADirectScopeCanOnlyCollectWhatItsConsumersDo) {
  const std::string scope =
      "  s: {threads: a, direct: true, levels: [{group: all, wrapper: gather}], collect: ";
  EXPECT_THAT(faults_of(scope + "{}}\n"), HasSubstr("expected 'consumer: true'"));
  EXPECT_EQ(faults_of(scope + "{consumer: true}}\n"), "");
  EXPECT_THAT(faults_of(scope + "{consumer: true}}\n  t: {of: s, shape: by-node}\n"),
              HasSubstr("the paths of scope 's' on servers are not recorded"));
}

}  // namespace
}  // namespace eventspace
