#include "monitors/web/documents/parts.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "monitors/web/documents/happenings.h"
#include "pathmaps/pathmap.h"
#include "tests/monitors/top/top_story.h"

// What documents say of samples that a test makes.
namespace eventspace::web {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing_commands::TopStory;

constexpr const char* pathmap_of_pair = R"(
pathmap: 1
name: pair
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}, n2: {host: 127.0.0.1, port: 7102}}}
application:
  threads: [a, b]
  elements: [{name: box, tuple: [int]}]
  paths:
    - {thread: a, name: put, element: box, use: write}
    - {thread: b, name: get, element: box, use: read}
placement:
  processes: {p0: {node: n1, threads: [a]}, p1: {node: n2, threads: [b]}}
  elements: [{elements: box, process: p0}]
collect: {points: [{at: thread}]}
scopes: {heartbeat: {levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}}
)";

class PartsTest : public testing::Test {
 protected:
  PartsTest() {
    LoadResult loaded = parse_plan(pathmap_of_pair, "pair.yaml");
    story.emplace(std::move(loaded.plan.value()), "heartbeat");
    story->at(0).counted("a", "put", 10, 0).counted(other, "get", 10, 0).look();
  }
  /// Both have events until now.
  void run_until(std::int64_t ms) {
    story->at(ms).counted("a", "put", static_cast<std::uint64_t>(10 + ms / 10), ms);
    story->counted(other, "get", 20, ms).look();
  }
  /// Thread a is silent, and the other waits for its tuple.
  void stall_until(std::int64_t ms) { story->at(ms).in_flight(other, "get", 100).look(); }

  [[nodiscard]] Looked looked() const { return {&story->state(), &story->plan(), &story->names(), nullptr}; }
  static json parsed(const Json& part) { return json::parse(part.dump()); }

  static constexpr const char* other = "b";
  std::optional<TopStory> story;
};

TEST_F(PartsTest, NamesAndPlacesHaveTheOrderOfTheThreads) {
  run_until(1000);
  const json names = parsed(names_part(looked()));
  EXPECT_THAT(names["threads"], ElementsAre("a", other));
  EXPECT_THAT(names["processes"], ElementsAre("p0", "p1"));
  EXPECT_THAT(names["nodes"], ElementsAre("n1", "n2"));
  EXPECT_THAT(names["process_of_thread"], ElementsAre(0, 1));
  EXPECT_THAT(names["node_of_process"], ElementsAre(0, 1));
  const json about = parsed(about_part({.name = "pair", .session = "pair", .kind = "pathmap"}, looked()));
  EXPECT_EQ(about["threads"], 2);
  EXPECT_EQ(about["nodes"], 2);
  EXPECT_TRUE(about["recording"].is_null());
}

TEST_F(PartsTest, ARunningProgramIsOk) {
  run_until(1000);
  const json verdict = parsed(verdict_part(looked()));
  EXPECT_EQ(verdict["severity"], "ok");
  EXPECT_EQ(verdict["sentence"], "no thread is stalled");
  const auto blocks = thread_parts(looked());
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].first, "threads/0");
  const json block = parsed(blocks[0].second);
  EXPECT_EQ(block["state"], "RR");
  EXPECT_EQ(block["for_s"][0], 0);
  EXPECT_EQ(block["rate"][0], 100);
  EXPECT_EQ(block["texts"][block["call"][1].get<std::size_t>()], "take get from a");
}

TEST_F(PartsTest, AStallNamesTheCulpritFirstAndWhoWaits) {
  run_until(100);
  stall_until(5000);
  const json verdict = parsed(verdict_part(looked()));
  EXPECT_EQ(verdict["severity"], "stall");
  EXPECT_THAT(verdict["sentence"].get<std::string>(), testing::HasSubstr("STALL at a"));
  ASSERT_EQ(verdict["culprits"].size(), 1u);
  EXPECT_EQ(verdict["culprits"][0]["thread"], "a");
  EXPECT_EQ(verdict["culprits"][0]["waiting"], 1);
  EXPECT_EQ(verdict["culprits"][0]["since_s"], 4.9);
  const json waits = parsed(wait_part(looked()));
  ASSERT_EQ(waits["nodes"].size(), 2u);
  EXPECT_TRUE(waits["nodes"][0]["culprit"]);
  EXPECT_THAT(waits["nodes"][1]["threads"], ElementsAre(other));
  ASSERT_EQ(waits["edges"].size(), 1u);
  EXPECT_EQ(waits["edges"][0]["from"], 1);
  EXPECT_EQ(waits["edges"][0]["to"], 0);
  EXPECT_EQ(waits["edges"][0]["since_s"], 4.9);
  const json block = parsed(thread_parts(looked())[0].second);
  EXPECT_EQ(block["state"].get<std::string>().substr(1), "S");
  EXPECT_EQ(block["in_flight"], "01");
}

TEST_F(PartsTest, ASilentServerMakesTheVerdictUnknown) {
  run_until(100);
  story->silent("n2").at(5000).counted("a", "put", 99, 5000).look();
  EXPECT_EQ(sentence_of(looked()).severity, "unknown");
  const json losses = parsed(losses_part(looked()));
  EXPECT_EQ(losses["missing"][0]["what"], "server of node n2");
  EXPECT_EQ(losses["servers_silent"], 1);
}

TEST_F(PartsTest, LossesAreCountedByCause) {
  story->lost(3).at(500).look();
  EXPECT_EQ(parsed(losses_part(looked()))["torn"], 3);
}

TEST_F(PartsTest, TheLogHasAStallOnceAndItsEnd) {
  Happenings log;
  const auto kinds = [&] {
    std::vector<std::string> all;
    for (const json& happening : parsed(log.part())) all.push_back(happening["kind"]);
    return all;
  };
  run_until(100);
  log.observe(looked(), 0.1);
  stall_until(5000);
  log.observe(looked(), 5);
  stall_until(6000);
  log.observe(looked(), 6);
  story->no_more_in_flight();
  run_until(7000);
  log.observe(looked(), 7);
  EXPECT_THAT(kinds(), ElementsAre("joined", "stall", "recovered"));
}

TEST_F(PartsTest, TheLogIsBounded) {
  Happenings log;
  for (std::size_t i = 0; i < 2 * Happenings::max_kept; ++i) {
    story->lost(i + 1).look();
    log.observe(looked(), 1);
  }
  EXPECT_EQ(parsed(log.part()).size(), Happenings::max_kept);
}

TEST_F(PartsTest, MatricesAreMadeOnlyForPagesThatNameThemAndAtTheEnd) {
  const JobProfile profile(story->names());
  const EventSums sums{.profile = &profile, .names = &story->names()};
  const auto parts_for = [&](const WantedParts& wanted) {
    std::vector<std::string> names;
    for (const auto& [name, value] : event_parts(sums, wanted, true)) names.push_back(name);
    return names;
  };
  EXPECT_THAT(parts_for({.all = true}), AllOf(Contains("communication"), Not(Contains("flows/0"))));
  EXPECT_THAT(parts_for({.names = {"communication", "flows/0"}}), ElementsAre("communication", "flows/0"));
  EXPECT_THAT(parts_for({.last = true}), Contains("flows/0"));
}

}  // namespace
}  // namespace eventspace::web
