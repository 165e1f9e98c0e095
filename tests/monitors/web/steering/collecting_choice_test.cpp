#include "monitors/web/steering/collecting_choice.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "paths/parameters/glob.h"

// Choices of an owner's page, in a pathmap.
namespace eventspace::web {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* pathmap_text = R"(
pathmap: 1
name: steered
cluster: {nodes: {n1: {}, n2: {}}}
application:
  threads: [a, b, c]
  elements: [{name: box, tuple: [int]}, {name: quiet, tuple: [int]}]
  paths:
    - {thread: a, name: put, element: box, use: write}
    - {thread: a, name: more, element: box, use: write}
    - {thread: b, name: get, element: box, use: read}
    - {thread: c, name: put, element: box, use: write}
    - {thread: c, name: any, element: box}
    - {thread: b, name: unrecorded, element: quiet, use: write}
placement:
  processes: {p0: {node: n1, threads: [a]}, p1: {node: n2, threads: [b]}, p2: {node: n2, threads: [c]}}
  elements: [{elements: "*", process: p0}]
collect: {points: [{paths: "{put,more,get,any}", at: thread}]}
)";

class CollectingChoiceTest : public testing::Test {
 protected:
  static std::shared_ptr<const Plan> read(const std::string& text) {
    LoadResult loaded = parse_plan(text, "steered.yaml");
    return std::make_shared<const Plan>(std::move(loaded.plan.value()));
  }
  [[nodiscard]] CollectingChoice choose(const CollectingWish& wish) const { return choice_of(wish, *plan); }
  [[nodiscard]] std::string refusal(const CollectingWish& wish) const {
    try {
      (void)choice_of(wish, *plan);
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "it is not refused";
  }
  static CollectState without(EventClasses events, std::uint32_t period = 0) {
    CollectSwitch collecting;
    collecting.set(events, period);
    return collecting.state();
  }

  const EventClasses write = events_named("operation", "write").front();
  const EventClasses take = events_named("operation", "take").front();
  std::shared_ptr<const Plan> plan = read(pathmap_text);
};

TEST_F(CollectingChoiceTest, APathIsItsOperationsInTheProcessesThatRecordIt) {
  const CollectingChoice choice = choose({.setting = "off", .path = "put"});
  ASSERT_EQ(choice.orders.size(), 1u);
  EXPECT_EQ(choice.orders[0].processes, "{p0,p2}");
  EXPECT_EQ(choice.orders[0].period, 0u);
  EXPECT_THAT(choice.orders[0].events, ElementsAre(write));
  EXPECT_EQ(choice.words, "operation write of processes p0, p2");
}

TEST_F(CollectingChoiceTest, APathOfOneThreadIsSwitchedInItsProcess) {
  EXPECT_EQ(choose({.setting = "on", .path = "put", .thread = "c"}).orders[0].processes, "{p2}");
  EXPECT_EQ(choose({.setting = "on", .path = "get"}).words, "operation read, operation take of process p1");
}

TEST_F(CollectingChoiceTest, AThreadIsItsProcess) {
  const CollectingChoice choice = choose({.setting = "1/10", .thread = "b"});
  EXPECT_EQ(choice.orders[0].processes, "{p1}");
  EXPECT_EQ(choice.orders[0].period, 10u);
  EXPECT_EQ(choice.words, "everything of process p1");
}

TEST_F(CollectingChoiceTest, ProcessesAndNodesArePatterns) {
  const CollectingChoice choice =
      choose({.setting = "off", .process = "p*", .node = "n2", .kind = "operation", .event_class = "take"});
  EXPECT_EQ(choice.orders[0].processes, "p*");
  EXPECT_EQ(choice.nodes, "n2");
  EXPECT_THAT(choice.orders[0].events, ElementsAre(take));
  EXPECT_EQ(choose({.setting = "off"}).words, "everything of all processes");
}

TEST_F(CollectingChoiceTest, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal({.setting = "off", .path = "putt"}), HasSubstr("did you mean 'put'"));
  EXPECT_THAT(refusal({.setting = "off", .path = "unrecorded"}), HasSubstr("unknown recorded path"));
  EXPECT_THAT(refusal({.setting = "off", .path = "get", .thread = "a"}),
              HasSubstr("unknown recorded path of thread a 'get'; known: more, put"));
  EXPECT_THAT(refusal({.setting = "off", .thread = "d"}), HasSubstr("known: a, b, c"));
  EXPECT_THAT(refusal({.setting = "50%"}), HasSubstr("allowed: on, off, or 1/N"));
  EXPECT_THAT(refusal({.setting = "off", .kind = "operatoin"}), HasSubstr("did you mean 'operation'"));
  EXPECT_THAT(refusal({.setting = "off", .process = "p["}), HasSubstr("the pattern 'p['"));
  EXPECT_THAT(refusal({.setting = "off", .node = "n["}), HasSubstr("\"node\": the pattern 'n['"));
  EXPECT_THAT(refusal({.setting = "off", .path = "put", .event_class = "read"}), HasSubstr("leave out"));
  EXPECT_THAT(refusal({.setting = "off", .thread = "a", .process = "p0"}), HasSubstr("leave out"));
}

TEST_F(CollectingChoiceTest, PathsKnowWhichOthersAreSwitchedWithThem) {
  const auto paths = switchable_paths(*plan);
  ASSERT_EQ(paths.size(), 4u);
  EXPECT_EQ(paths[0].name, "any");
  EXPECT_THAT(paths[0].also, ElementsAre("put"));
  EXPECT_EQ(paths[1].name, "get");
  EXPECT_THAT(paths[1].also, IsEmpty());
  EXPECT_EQ(paths[3].name, "put");
  EXPECT_THAT(paths[3].also, ElementsAre("any", "more"));
  EXPECT_THAT(paths[3].processes, ElementsAre(0, 2));
}

// As many processes as one order can name, and more.
TEST_F(CollectingChoiceTest, ManyProcessesAreNamedBySeveralPatterns) {
  const auto wide = [](int processes) {
    std::string threads, placement;
    for (int i = 0; i < processes; ++i) {
      threads += fmt::format("{}t{}", i > 0 ? ", " : "", i);
      placement += fmt::format("    process-{}: {{node: n1, threads: [t{}]}}\n", i, i);
    }
    return read(
        "pathmap: 1\nname: wide\ncluster: {nodes: {n1: {}}}\napplication:\n  threads: [" + threads +
        "]\n  elements: [{name: box, tuple: [int]}]\n  paths: [{thread: \"*\", name: put, element: box, "
        "use: write}]\nplacement:\n  processes:\n" +
        placement + "  elements: [{elements: box, process: process-0}]\ncollect: {points: [{at: thread}]}\n");
  };
  plan = wide(100);
  const CollectingChoice choice = choose({.setting = "off", .path = "put"});
  EXPECT_GT(choice.orders.size(), 1u);
  for (int i = 0; i < 100; ++i) {
    const auto names = std::ranges::count_if(choice.orders, [&](const SwitchOrder& order) {
      return glob_match(order.processes, fmt::format("process-{}", i));
    });
    EXPECT_EQ(names, 1) << i;
  }
  plan = wide(600);
  EXPECT_THAT(refusal({.setting = "off", .path = "put"}), HasSubstr("600 processes record it"));
}

TEST_F(CollectingChoiceTest, ASettingIsThatOfAllItsEvents) {
  EXPECT_EQ(setting_of({}, {write}), "on");
  EXPECT_EQ(setting_of(without(write), {write}), "off");
  EXPECT_EQ(setting_of(without(write), {take}), "on");
  EXPECT_EQ(setting_of(without(write), {write, take}), "mixed");
  EXPECT_EQ(setting_of(without(write, 100), {write}), "1/100");
  EXPECT_EQ(setting_of(without({}), {write, take}), "off");
  EXPECT_EQ(setting_of(without(write), {{}}), "mixed");
  EXPECT_EQ(setting_of(without(write), events_named("operation", "")), "mixed");
  EXPECT_EQ(setting_of(without(events_named("operation", "").front()), {write}), "off");
  EXPECT_EQ(setting_of({.by_program = false}, {write}), "off");
  CollectState cut = without(write);
  cut.has_more = true;
  EXPECT_EQ(setting_of(cut, {write}), "off");
  EXPECT_EQ(setting_of(cut, {take}), "mixed") << "it may be one of those that the list has not";
}

TEST_F(CollectingChoiceTest, ReportsAreGroupedByWhatIsRecorded) {
  ProcessReports reports;
  for (const std::uint32_t process : {0U, 1U, 2U}) reports[process].process = process;
  reports[1].collecting = without(take);
  reports[2].collecting = without(write);
  const NamesOfPlan names(plan);
  const json groups = json::parse(collecting_json(reports, names).dump());
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0]["state"], "on");
  EXPECT_EQ(groups[0]["processes"], "p0");
  const json paths = json::parse(paths_json(switchable_paths(*plan), reports, names).dump());
  EXPECT_EQ(paths[1]["name"], "get");
  EXPECT_EQ(paths[1]["setting"], "mixed");  // it reads and takes
  EXPECT_EQ(paths[2]["setting"], "on");
  EXPECT_EQ(paths[3]["setting"], "mixed");  // in two processes
  reports[2].state = RunState::ended;
  EXPECT_EQ(json::parse(paths_json(switchable_paths(*plan), reports, names).dump())[3]["setting"], "on");
}

TEST_F(CollectingChoiceTest, KindsHaveTheirClasses) {
  const json kinds = json::parse(kinds_json().dump());
  EXPECT_EQ(kinds[0]["kind"], "operation");
  EXPECT_EQ(kinds[0]["classes"][0], "write");
}

}  // namespace
}  // namespace eventspace::web
