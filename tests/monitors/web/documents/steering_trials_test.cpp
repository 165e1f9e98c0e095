#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "monitors/web/documents/steering.h"
#include "pathmaps/pathmap.h"
#include "tests/tuplespace/segment_directory.h"

// Trials in a session whose servers do not run: their pulls fail, but they are trials.
namespace eventspace::web {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::IsEmpty;

constexpr const char* tried_pathmap = R"(
pathmap: 1
name: tried
cluster: {nodes: {n1: {}}}
application: {threads: [a], elements: [{name: box, tuple: [int]}], paths: [{thread: a, name: put, element: box, use: write}]}
placement: {processes: {p0: {node: n1, threads: [a]}}, elements: [{elements: box, process: p0}]}
collect: {points: [{at: thread}]}
scopes: {all: {timeout: 100ms, levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}}
)";

class SteeringTrials : public testing::Test {
 protected:
  SteeringTrials() {
    watched.pathmap = directory.path() / "tried.yaml";
    std::ofstream(watched.pathmap) << tried_pathmap;
    LoadResult loaded = parse_plan(tried_pathmap, watched.pathmap.string());
    watched.plan = std::make_shared<const Plan>(std::move(loaded.plan.value()));
    steering.begin(watched, 1s);
  }

  [[nodiscard]] json part(const std::string& name) const {
    return json::parse(document->text())[name]["value"];
  }
  template <class Condition>
  static bool eventually(const Condition& holds) {
    for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(10ms);
    return holds();
  }
  /// Begins a trial, and waits until it has figures.
  void try_tree() {
    const json before = part("steering");
    const std::string order =
        fmt::format(R"({{"version": {}, "scope": "all"}})", before["version"].get<int>());
    ASSERT_EQ(steering.order("scope", order).status, 200u);
    ASSERT_TRUE(eventually([&] {
      const json state = part("steering");
      return state["trial"].is_object() && state["trial"] != before["trial"] && state["under_way"] == false;
    })) << part("steering");
  }
  /// Waits until the thread of the object has done all that it was asked to do.
  void await_jobs() {
    Request question;
    question.parameters.emplace_back("scope", "all");
    ASSERT_TRUE(eventually([&] { return steering.variants(question).status == 200; }));
  }
  [[nodiscard]] std::vector<int> numbers() const {
    std::vector<int> all;
    for (const json& trial : part("steering/trials")) all.push_back(trial["number"]);
    return all;
  }

  test::SegmentDirectory directory;
  test::Variable runtime{"XDG_RUNTIME_DIR", directory.path()};
  Watched watched;
  std::shared_ptr<Document> document{std::make_shared<Document>()};
  std::shared_ptr<Feed> page{document->open({"steering"})};
  Steering steering{document, "progress", [] {}};
};

TEST_F(SteeringTrials, AreNumberedInTheOrderOfTheirBeginnings) {
  for (int i = 0; i < 3; ++i) try_tree();
  EXPECT_THAT(numbers(), testing::ElementsAre(1, 2));
  EXPECT_EQ(part("steering")["trial"]["number"], 3);
}

TEST_F(SteeringTrials, OneThatEndsAfterTheNextRunHasBegunIsNotOfThatRun) {
  try_tree();
  steering.end("the session has ended");
  EXPECT_THAT(numbers(), testing::ElementsAre(1));
  steering.begin(watched, 1s);
  await_jobs();  // the trial has ended then
  EXPECT_THAT(numbers(), IsEmpty());
  EXPECT_TRUE(part("steering")["trial"].is_null());
  try_tree();
  EXPECT_EQ(part("steering")["trial"]["number"], 1);
}

}  // namespace
}  // namespace eventspace::web
