#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include <eventspace/error.h>
#include "monitors/drawing/dot_text.h"
#include "monitors/drawing/drawing.h"
#include "monitors/drawing/graph_layout.h"
#include "monitors/servers/find_program.h"
#include "monitors/web/documents/map_parts.h"
#include "monitors/web/documents/map_watch.h"
#include "monitors/web/map/map_picture.h"
#include "pathmaps/pathmap.h"
#include "tests/monitors/top/top_story.h"

// The map of the page: what is drawn, where, and with which numbers. Layouts are Graphviz' where the test
// needs it.
namespace eventspace::web {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_commands::TopStory;

constexpr const char* pathmap_of_map = R"(
pathmap: 1
name: pair
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}, n2: {host: 127.0.0.1, port: 7102}}}
application:
  threads: [a, b]
  elements: [{name: box, tuple: [int], threshold: 50}]
  paths:
    - {thread: a, name: put, element: box, use: write}
    - {thread: b, name: get, element: box, use: read}
placement:
  processes: {p0: {node: n1, threads: [a]}, p1: {node: n2, threads: [b]}}
  elements: [{elements: box, process: p0}]
collect: {points: [{at: thread}]}
scopes: {heartbeat: {timeout: 2s, levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}}
)";

Plan plan_of(const std::string& pathmap) {
  LoadResult loaded = parse_plan(pathmap, "map.yaml");
  return std::move(loaded.plan.value());
}

/// Each of `count` threads writes to an element of its own.
std::string wide_pathmap(int count) {
  return fmt::format(R"(
pathmap: 1
name: wide
cluster: {{nodes: {{n1: {{host: 127.0.0.1, port: 7101}}}}}}
application:
  threads: ["w[1-{}]"]
  elements: [{{name: "e/{{thread}}", for: "w*", tuple: [int]}}]
  paths: [{{thread: "w*", name: put, element: "e/{{thread}}", use: write}}]
placement:
  processes: {{p0: {{node: n1, threads: ["w*"]}}}}
  elements: [{{elements: "e/*", process: p0}}]
)",
                     count);
}

GraphLayout no_graphviz(const std::string&) { throw EnvironmentError("dot is not installed"); }

GraphLayout by_graphviz(const std::string& dot) { return lay_out_graph(dot, std::chrono::seconds(60)); }

bool contains(const GraphArea& outer, const GraphArea& inner) {
  constexpr double slack = 0.5;
  return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
         inner.x + inner.width <= outer.x + outer.width + slack &&
         inner.y + inner.height <= outer.y + outer.height + slack;
}

bool overlap(const GraphArea& a, const GraphArea& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

void expect_tidy(const MapPicture& map) {
  const GraphArea all{0, 0, map.width, map.height};
  for (const MapFrame& frame : map.frames) EXPECT_TRUE(contains(all, frame.area)) << frame.title;
  for (std::size_t i = 0; i < map.boxes.size(); ++i) {
    EXPECT_TRUE(contains(all, map.boxes[i].area)) << map.boxes[i].name;
    for (std::size_t j = 0; j < i; ++j)
      ASSERT_FALSE(overlap(map.boxes[i].area, map.boxes[j].area)) << map.boxes[i].name << map.boxes[j].name;
  }
}

class LaidOutMap : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("dot")) GTEST_SKIP() << "Graphviz is not installed";
  }
};

TEST_F(LaidOutMap, ASmallPlanHasABoxForEachThreadAndElement) {
  const MapPicture map = draw_plan_map(plan_of(pathmap_of_map), by_graphviz);
  EXPECT_EQ(map.detail, "threads");
  EXPECT_EQ(map.laid_out_by, "graphviz");
  EXPECT_EQ(map.note, "");
  std::vector<std::string> names;
  for (const MapBox& box : map.boxes) names.push_back(fmt::format("{} {}", box.kind, box.name));
  EXPECT_THAT(names, testing::UnorderedElementsAre("thread a", "thread b", "element box"));
  ASSERT_EQ(map.arrows.size(), 2u);
  expect_tidy(map);
}

TEST_F(LaidOutMap, BoxesStandInTheFramesOfTheirNodesAndArrowsEndAtBoxes) {
  const MapPicture map = draw_plan_map(plan_of(pathmap_of_map), by_graphviz);
  const auto frame = [&](const std::string& title) {
    return std::ranges::find(map.frames, title, &MapFrame::title)->area;
  };
  const auto box = [&](const std::string& name) { return std::ranges::find(map.boxes, name, &MapBox::name); };
  EXPECT_TRUE(contains(frame("node n1"), box("a")->area));
  EXPECT_TRUE(contains(frame("process p0"), box("box")->area));
  EXPECT_TRUE(contains(frame("node n2"), box("b")->area));
  for (const MapArrow& arrow : map.arrows) {
    ASSERT_EQ(arrow.curve.size() % 3, 1u);
    const GraphArea to = map.boxes[arrow.to].area;
    const GraphArea around{to.x - 3, to.y - 3, to.width + 6, to.height + 6};
    EXPECT_TRUE(contains(around, {arrow.curve.back().x, arrow.curve.back().y, 0, 0}));
    EXPECT_TRUE(contains({0, 0, map.width, map.height}, {arrow.label_at.x, arrow.label_at.y, 0, 0}));
  }
}

TEST_F(LaidOutMap, NamesOfAllKindsAreFoundInTheLayout) {
  DotText dot({"odd"}, DotText::Growth::down);
  const std::vector<std::string> names{"plain",        "a \"b\" c",  "back\\slash\\", "<b>&amp;&#27;",
                                       "\u05d0\u202e", "two\nlines", "\x1b[31m"};
  for (const std::string& name : names) dot.node(name, {{"label", name}});
  dot.edge(names[1], names[2], {});
  const GraphLayout layout = by_graphviz(dot.text());
  for (const std::string& name : names) EXPECT_TRUE(layout.boxes.contains(graph_name(name))) << name;
  ASSERT_EQ(layout.curves.size(), 1u);
  EXPECT_EQ(layout.curves[0].from, graph_name(names[1]));
  EXPECT_EQ(layout.curves[0].to, graph_name(names[2]));
}

TEST_F(LaidOutMap, ALayoutThatTakesTooLongOrIsNotNeededIsStopped) {
  const std::string dot = picture_of_paths(plan_of(wide_pathmap(80)), {.detail = ThreadDetail::all}).dot;
  EXPECT_THROW(lay_out_graph(dot, std::chrono::nanoseconds(0)), EnvironmentError);
  EXPECT_THROW(lay_out_graph(dot, std::chrono::minutes(1), [] { return true; }), EnvironmentError);
}

TEST_F(LaidOutMap, ThreadsWithTheSamePathsShareABoxIfThereAreTooMany) {
  const MapPicture map = draw_plan_map(plan_of(wide_pathmap(200)), by_graphviz);
  EXPECT_EQ(map.detail, "groups");
  EXPECT_THAT(map.note, HasSubstr("400 boxes"));
  ASSERT_EQ(map.boxes.size(), 2u);
  EXPECT_EQ(map.boxes[0].threads.size() + map.boxes[1].threads.size(), 200u);
  ASSERT_EQ(map.arrows.size(), 1u);
  EXPECT_EQ(map.arrows[0].paths.size(), 200u);
}

TEST(Map, WithoutGraphvizProcessesAreInAGridAndTheNoteSaysWhy) {
  const MapPicture map = draw_plan_map(plan_of(pathmap_of_map), no_graphviz);
  EXPECT_EQ(map.detail, "processes");
  EXPECT_EQ(map.laid_out_by, "grid");
  EXPECT_EQ(map.note, "dot is not installed");
  ASSERT_EQ(map.boxes.size(), 2u);
  EXPECT_EQ(map.boxes[1].name, "p1");
  ASSERT_EQ(map.arrows.size(), 1u);
  EXPECT_EQ(map.arrows[0].from, 0u);
  EXPECT_EQ(map.arrows[0].to, 1u);
  expect_tidy(map);
}

TEST(Map, AFaultyLayoutIsRefused) {
  for (const char* text : {"", "{", "[]", "{}", R"({"objects": [{"name": "a", "pos": 3, "_gvid": 0}]})",
                           R"({"objects": [{"name": "a"}], "edges": [{"tail": 7, "head": 8}]})"})
    EXPECT_THROW(read_layout(text), EnvironmentError) << text;
}

std::vector<MapNode> places(std::size_t nodes, std::size_t processes, std::size_t threads) {
  std::vector<MapNode> all;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    MapNode& node = all.emplace_back(MapNode{fmt::format("n{}", i)});
    for (std::size_t j = 0; j < processes; ++j) {
      MapProcess& process =
          node.processes.emplace_back(MapProcess{fmt::format("p{}", j), fmt::format("p{}", j)});
      for (std::size_t k = 0; k < threads; ++k) process.threads.push_back({number++, fmt::format("t{}", k)});
    }
  }
  return all;
}

TEST(Map, WithoutAPathmapNodesProcessesAndThreadsAreAGridThatStaysLegible) {
  const MapPicture small = draw_place_map(places(2, 3, 4));
  EXPECT_EQ(small.detail, "threads");
  EXPECT_EQ(small.boxes.size(), 24u);
  EXPECT_EQ(small.frames.size(), 8u);
  expect_tidy(small);

  const MapPicture medium = draw_place_map(places(16, 8, 4));
  EXPECT_EQ(medium.detail, "processes");
  EXPECT_EQ(medium.boxes.size(), 128u);
  EXPECT_THAT(medium.note, HasSubstr("512 threads are too many"));
  expect_tidy(medium);

  const MapPicture large = draw_place_map(places(256, 16, 1));
  EXPECT_EQ(large.detail, "nodes");
  EXPECT_EQ(large.boxes.size(), 256u);
  EXPECT_EQ(large.boxes[0].threads.size(), 16u);
  EXPECT_THAT(large.note, HasSubstr("4096 processes are too many"));
  expect_tidy(large);
}

class MapPartsTest : public testing::Test {
 protected:
  MapPartsTest() : story(plan_of(pathmap_of_map), "heartbeat"), tree(*story.plan().find_scope("heartbeat")) {
    story.at(0).counted("a", "put", 10, 0).counted("b", "get", 10, 0).look();
    story.at(1000).counted("a", "put", 110, 1000).in_flight("b", "get", 600);
    story.took("all", std::chrono::milliseconds(3)).look();
  }
  [[nodiscard]] Looked looked() const { return {&story.state(), &story.plan(), &story.names(), nullptr}; }
  static json parsed(const Json& part) { return json::parse(part.dump()); }
  [[nodiscard]] std::shared_ptr<const Plan> shared_plan() const {
    return std::make_shared<Plan>(story.plan());
  }

  TopStory story;
  ScopeTree tree;
};

TEST_F(MapPartsTest, TheMapSaysWhatItsBoxesStandFor) {
  const json map = parsed(map_part(draw_plan_map(story.plan(), no_graphviz), looked(), tree));
  EXPECT_THAT(map["boxes"][0]["threads"], ElementsAre(0));
  EXPECT_THAT(map["boxes"][1]["threads"], ElementsAre(1));
  EXPECT_THAT(map["boxes"][0]["elements"], ElementsAre(0));
  EXPECT_EQ(map["elements"][0]["name"], "box");
  EXPECT_EQ(map["elements"][0]["capacity"], 50);
  EXPECT_EQ(map["elements"][0]["host"], "process p0");
  EXPECT_THAT(map["paths"]["thread"], ElementsAre(0, 1));
  EXPECT_THAT(map["paths"]["use"], ElementsAre("write", "read"));
  EXPECT_EQ(map["arrows"][0]["curve"].size(), 8u);
}

TEST_F(MapPartsTest, TheTreesOfScopesHaveTheirWrappersAndPlaces) {
  const json map = parsed(map_part(draw_plan_map(story.plan(), no_graphviz), looked(), tree));
  ASSERT_EQ(map["scopes"].size(), 1u);
  const json& scope = map["scopes"][0];
  EXPECT_EQ(scope["name"], "heartbeat");
  EXPECT_TRUE(scope["watched"]);
  EXPECT_EQ(scope["levels"][0]["wrapper"], "gather");
  EXPECT_EQ(scope["levels"][0]["depth"], 0);
  EXPECT_EQ(scope["levels"][1]["depth"], 1);
  EXPECT_EQ(scope["levels"][1]["node"], "n1");
  EXPECT_EQ(scope["left_out"], 0);
}

TEST_F(MapPartsTest, RatesAndWaitsAreThoseOfTheModel) {
  const json rates = parsed(map_rates_part(looked(), tree, {}));
  EXPECT_THAT(rates["paths"]["path"], ElementsAre(0, 1));
  EXPECT_THAT(rates["paths"]["per_second"], ElementsAre(100, 0));
  EXPECT_THAT(rates["paths"]["bytes_per_second"], ElementsAre(5600, 0));
  EXPECT_TRUE(rates["paths"]["waits_s"][0].is_null());
  EXPECT_EQ(rates["paths"]["waits_s"][1], 0.4);
  EXPECT_EQ(rates["scope"], "heartbeat");
  EXPECT_THAT(rates["levels"]["name"], ElementsAre("all"));
  EXPECT_EQ(rates["levels"]["last_s"][0], 0.003);
}

TEST_F(MapPartsTest, ABusyPathDoesNotWaitWhileAnOperationIsInFlight) {
  Looked looked_at = looked();
  top::State state = *looked_at.state;
  for (top::ThreadState& thread : state.threads)
    for (top::PathState& path : thread.paths)
      if (path.path == 1) path.rate.per_second = 20;
  looked_at.state = &state;
  EXPECT_TRUE(parsed(map_rates_part(looked_at, tree, {}))["paths"]["waits_s"][1].is_null());
}

TEST_F(MapPartsTest, AThreadThatIsStuckInItsFirstOperationWaits) {
  Looked looked_at = looked();
  top::State state = *looked_at.state;
  for (top::ThreadState& thread : state.threads)
    for (top::PathState& path : thread.paths)
      if (path.path == 1) path.rate = {};
  looked_at.state = &state;
  EXPECT_EQ(parsed(map_rates_part(looked_at, tree, {}))["paths"]["waits_s"][1], 0.4);
}

TEST_F(MapPartsTest, ElementsHaveTheirFillsOrWhyNot) {
  ElementRow row;
  row.name = "box";
  row.detail = "no answer";
  json elements = parsed(map_rates_part(looked(), tree, {row}))["elements"];
  EXPECT_TRUE(elements["kept"][0].is_null());
  EXPECT_EQ(elements["unknown"][0], "no answer");
  row.state.emplace();
  row.state->capacity = 50;
  row.state->kept = 12;
  row.written_rate = 99.5;
  elements = parsed(map_rates_part(looked(), tree, {row}))["elements"];
  EXPECT_EQ(elements["element"][0], 0);
  EXPECT_EQ(elements["kept"][0], 12);
  EXPECT_EQ(elements["capacity"][0], 50);
  EXPECT_EQ(elements["written_per_second"][0], 99.5);
}

/// A layout that takes as long as the test wants.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  GraphLayout pass(const std::string& dot) {
    std::unique_lock lock(mutex_);
    ++passed_;
    opened_.wait(lock, [this] { return is_open_; });
    return no_graphviz(dot);
  }
  int passed() {
    const std::lock_guard lock(mutex_);
    return passed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_{false};
  int passed_{0};
};

WantedParts wanting(std::set<std::string> names, bool is_last = false) {
  return {.all = false, .last = is_last, .names = std::move(names)};
}

TEST_F(MapPartsTest, ASlowLayoutHoldsUpNoLookAndIsMadeOnce) {
  Gate gate;
  MapWatch watch(shared_plan(), "", tree, [&](const std::string& dot) { return gate.pass(dot); });
  EXPECT_TRUE(watch.read(looked(), wanting({"about"}), {}).empty());
  EXPECT_FALSE(watch.is_awaited());
  EXPECT_TRUE(watch.read(looked(), wanting({"map"}), {}).empty());
  EXPECT_TRUE(watch.is_awaited());
  gate.open();
  Document::Parts parts;
  while (parts.empty()) parts = watch.read(looked(), wanting({"map", "about"}), {});
  EXPECT_FALSE(watch.is_awaited());
  EXPECT_EQ(parts[0].first, "map");
  EXPECT_TRUE(watch.read(looked(), wanting({"map"}), {}).empty()) << "it has not changed";
  EXPECT_EQ(gate.passed(), 3) << "one for each detail";
}

TEST_F(MapPartsTest, TheLastLookHasAMapEvenWithoutALayout) {
  Gate gate;
  MapWatch watch(
      shared_plan(), "", tree, [&](const std::string& dot) { return gate.pass(dot); },
      std::chrono::milliseconds(1));
  const Document::Parts parts = watch.read(looked(), wanting({}, true), {});
  gate.open();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(parsed(parts[0].second)["note"].get<std::string>(), HasSubstr("had not laid out"));
}

/// The plan's threads as if they had joined a session without a pathmap.
Plan plan_of_session(const std::string& pathmap) {
  Plan plan = plan_of(pathmap);
  plan.has_pathmap = false;
  return plan;
}

TEST(MapWithoutPathmap, ItIsDrawnAgainWhenAThreadJoins) {
  std::string with_third = pathmap_of_map;
  with_third.replace(with_third.find("threads: [a, b]"), 15, "threads: [a, b, c]");
  const std::string path = "- {thread: b, name: get, element: box, use: read}";
  with_third.insert(with_third.find(path), "- {thread: c, name: get, element: box, use: read}\n    ");
  with_third.replace(with_third.find("threads: [b]"), 12, "threads: [b, c]");
  TopStory two(plan_of_session(pathmap_of_map), "heartbeat");
  TopStory three(plan_of_session(with_third), "heartbeat");
  two.at(0).look();
  three.at(0).look();
  MapWatch watch(std::make_shared<Plan>(two.plan()), "", *two.plan().find_scope("heartbeat"));
  const auto read = [&](const TopStory& story) {
    return watch.read({&story.state(), &story.plan(), &story.names(), nullptr}, wanting({"map"}), {});
  };
  const Document::Parts first = read(two);
  ASSERT_EQ(first.size(), 1u);
  const json map = json::parse(first[0].second.dump());
  EXPECT_EQ(map["detail"], "threads");
  EXPECT_EQ(map["boxes"].size(), 2u);
  EXPECT_EQ(map["boxes"][0]["kind"], "process");
  EXPECT_TRUE(read(two).empty()) << "it has not changed";
  const Document::Parts next = read(three);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(json::parse(next[0].second.dump())["frames"].size(), 3u)
      << "two nodes, and a process of two threads";
}

}  // namespace
}  // namespace eventspace::web
