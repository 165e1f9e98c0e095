#include "monitors/drawing/drawing.h"
#include "monitors/collectives/collective_plan.h"
#include "monitors/drawing/draw_collective.h"

#include <signal.h>

#include <cstdlib>
#include <optional>

#include "monitors/cli/result_table.h"
#include "monitors/text/name_ranges.h"
#include "pathmaps/pathmap.h"
#include "tests/lines.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/variable.h"

namespace eventspace {
namespace {

using test::times_in;
using testing::HasSubstr;
using testing::Not;

Plan example(const std::string& name) { return require_plan(EVENTSPACE_EXAMPLES "/" + name); }

std::string line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "no line with " + part;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(NameRanges, NumberedNamesAreCollapsed) {
  EXPECT_EQ(collapse_numbered({"t0", "t1", "t2", "main"}), "t0..t2, main");
  EXPECT_EQ(collapse_numbered({"t0", "t2", "t3"}), "t0, t2..t3");
  EXPECT_EQ(collapse_numbered({"a07", "a08", "b"}), "a07, a08, b");
  EXPECT_EQ(collapse_numbered({"thread t8", "thread t9", "thread t10"}), "thread t8..t10");
  EXPECT_EQ(collapse_numbered({}), "");
}

TEST(NameRanges, PathsAreCollapsedByTheirLastPart) {
  EXPECT_EQ(collapse_paths({"send/n", "result", "send/s", "send/n"}), "result, send/{n,s}");
  EXPECT_EQ(collapse_paths({"a", "b"}), "a, b");
}

TEST(Drawing, ProcessesAreBoxesOnTheirNodes) {
  const std::string dot = draw_paths(example("windtunnel-four-nodes.yaml"), {});
  EXPECT_THAT(dot, HasSubstr("\"process p0\" [label=<<table"));
  EXPECT_THAT(dot, HasSubstr(">node n1  127.0.0.1<"));
  EXPECT_THAT(dot, HasSubstr("t0..t34, main"));
  EXPECT_THAT(dot, HasSubstr("\"process p0\" -> \"process p1\""));
  EXPECT_THAT(dot, HasSubstr("a: send/south/{s,se,sw}    b: send/north/{n,ne,nw}"));
  EXPECT_THAT(line_with(dot, "to p1: 3 (a)"), HasSubstr("to p0: 38 (result, b)"));
  EXPECT_THAT(dot, Not(HasSubstr("server"))) << "servers have nothing to do with these paths";
  EXPECT_LT(times_in(dot, "->"), 20U);
}

TEST(Drawing, ProcessesShowTheNumberOfSharedElements) {
  const std::string dot = draw_paths(example("windtunnel-four-processes.yaml"), {});
  EXPECT_THAT(dot, HasSubstr("245 elements (210 shared)"));
}

TEST(Drawing, JointsAreShownWhereTheyAre) {
  const Plan plan = example("windtunnel-collectives.yaml");
  const std::string collapsed = draw_paths(plan, {});
  EXPECT_THAT(collapsed, HasSubstr("2 joints: balance, barrier"));
  EXPECT_THAT(collapsed, HasSubstr("10 joints: balance/p1,"));
  EXPECT_THAT(collapsed, HasSubstr("t0..t34, main")) << "joints are no threads";
  const std::string all = draw_paths(plan, {ThreadDetail::all});
  EXPECT_THAT(all, HasSubstr("\"joint balance/p0\" -> \"joint balance\""));
  EXPECT_THAT(all, HasSubstr("\"thread t0\" -> \"joint balance/p0/+1\""));
  EXPECT_THAT(all, Not(HasSubstr("\"thread balance")));
}

TEST(Drawing, ACollectiveIsItsTreeOfJointsWithTheThreadsOfEachAsOne) {
  const Plan plan = example("windtunnel-collectives.yaml");
  const CollectiveShape shape = shape_of(plan, *plan.find_collective("balance"), {});
  const std::string dot = draw_collective(plan, shape, Siblings::apart);
  EXPECT_THAT(dot, HasSubstr("subgraph \"cluster node n4\""));
  EXPECT_THAT(dot, HasSubstr("\"joint balance/p0\" -> \"joint balance\""));
  EXPECT_THAT(dot, HasSubstr("\"threads of balance/p0/+1 on n1\" -> \"joint balance/p0/+1\""));
  EXPECT_THAT(dot, HasSubstr("t0..t3"));
  EXPECT_LT(times_in(dot, " -> "), 80U);
}

TEST(Drawing, JointsOfACollectiveThatAreAlikeAreOneBoxSoThatThePictureFitsAPage) {
  const Plan plan = example("windtunnel-collectives.yaml");
  const CollectiveShape shape = shape_of(plan, *plan.find_collective("balance"), {});
  const std::string dot = draw_collective(plan, shape, Siblings::together);
  EXPECT_THAT(dot, HasSubstr("8 joints: balance/p0/+1..balance/p0/+8"));
  EXPECT_THAT(dot, HasSubstr("35 threads: t0..t34"));
  EXPECT_THAT(dot, HasSubstr("\"joint balance/p0/+1\" -> \"joint balance/p0\""));
  EXPECT_EQ(times_in(dot, " -> "), 12U) << "of each process: threads, joints, joint, root";
}

TEST(Drawing, PartsOfACollectiveThatTakeTimeAreHot) {
  const Plan plan = example("windtunnel-collectives.yaml");
  const CollectiveShape shape = shape_of(plan, *plan.find_collective("barrier"), {});
  CollectiveTotals totals(shape);
  const std::size_t hot = shape.joints[1].uplink.value();
  totals.add_edge(hot, CollectiveTime::up, {10, 50e6, 0, 8e6});
  totals.add_edge(hot, CollectiveTime::down, {10, 10e6, 0, 2e6});
  totals.add_joint(1, CollectiveTime::handing_down, {10, 20e6, 0, 3e6});
  totals.add_joint(1, CollectiveTime::passing_up, {10, 1e6, 0, 1e6});
  totals.add_joint(1, CollectiveTime::gathering, {10, 900e6, 0, 99e6});  // waiting, without a colour
  const std::string dot = draw_collective(plan, shape, totals, Siblings::together);
  // The colour reflects the figure of the box or arrow, relative to the greatest one.
  const std::string arrow = line_with(dot, "\"joint barrier/p0\" -> ");
  EXPECT_THAT(line_with(dot, "both 6ms"), HasSubstr("passing on 2.1ms"));
  EXPECT_THAT(line_with(dot, "both 6ms"), HasSubstr("up 5ms, down 1ms, both 6ms"));
  EXPECT_THAT(arrow, HasSubstr("color=\"#c02020\""));
  const std::string box = line_with(dot, "passing on 2.1ms");
  EXPECT_THAT(box, HasSubstr("gathering 90ms"));
  EXPECT_THAT(box, HasSubstr("color=\"#c8a000\""));
  EXPECT_EQ(times_in(dot, "penwidth=\"4.0\""), 1U) << dot;
  EXPECT_THAT(dot,
              HasSubstr("#c8a000\" width=\"22\" height=\"8\" fixedsize=\"true\"></td><td>up to 3ms</td>"));
  EXPECT_THAT(dot, HasSubstr("<td>up to 6ms</td>"));
}

TEST(Drawing, EveryThreadAndPathIsDrawnIfAsked) {
  const Plan plan = example("windtunnel-four-nodes.yaml");
  const std::string dot = draw_paths(plan, {ThreadDetail::all});
  EXPECT_EQ(times_in(dot, " -> "), plan.paths.size());
  EXPECT_THAT(dot, HasSubstr("\"thread t139\""));
}

TEST(Drawing, ThreadsOfAProcessWithTheSamePathsAreOneBoxIfGrouped) {
  const std::string dot = draw_paths(example("windtunnel-four-nodes.yaml"), {ThreadDetail::grouped});
  EXPECT_THAT(dot, HasSubstr("35 threads:\\nt35..t69"));
  EXPECT_THAT(dot, HasSubstr("105 elements:\\nborder/t36/north/n .. border/t70/north/nw"));
  EXPECT_THAT(dot, HasSubstr("105 paths (a)"));
  EXPECT_LT(times_in(dot, " -> "), 40U);
}

TEST(Drawing, ThePathsOfChosenThreadsAreDrawnWithThreadsAtTheirOtherEnds) {
  const Plan plan = example("windtunnel-four-nodes.yaml");
  const PathsView view{ThreadDetail::all, "t3"};
  const std::string dot = draw_paths(plan, view);
  EXPECT_THAT(dot, HasSubstr("\"thread t3\" -> \"element results\""));
  EXPECT_THAT(dot, HasSubstr("\"element border/t4/north/n\" -> \"thread t3\""));
  EXPECT_THAT(dot, HasSubstr("\"thread t4\" -> \"element border/t4/north/n\""));
  EXPECT_THAT(dot, Not(HasSubstr("t5"))) << "a neighbour's other paths are not those of t3";
  EXPECT_THAT(dot, Not(HasSubstr("\"thread t4\" -> \"element results\""))) << "all threads use it";
  EXPECT_EQ(count_single_paths(plan, view), times_in(dot, " -> "));
  EXPECT_EQ(count_single_paths(plan, {ThreadDetail::grouped}), 0U);
}

TEST(Drawing, PathsPassTheirGateways) {
  const std::string dot = draw_paths(example("windtunnel-two-clusters.yaml"), {});
  EXPECT_THAT(dot, HasSubstr("subgraph \"cluster cluster a\""));
  EXPECT_THAT(dot, HasSubstr("\"process p3\" -> \"server of gb\""));
  EXPECT_THAT(dot, Not(HasSubstr("\"process p3\" -> \"process p4\"")));
}

TEST(Drawing, ThePathsOfScopesAreInThePicturesOfTheScopes) {
  const Plan plan = example("windtunnel-observed-scopes.yaml");
  for (const ThreadDetail detail : {ThreadDetail::collapsed, ThreadDetail::grouped, ThreadDetail::all})
    EXPECT_EQ(draw_paths(plan, {detail}), draw_paths(example("windtunnel-two-clusters.yaml"), {detail}));
  EXPECT_EQ(times_in(draw_scope(plan, *plan.find_scope("clusters")), "collected"), 0U);
  EXPECT_EQ(times_in(draw_scope(plan, *plan.find_scope("observed")), "collected"), 10U);
}

TEST(Drawing, IdenticalSiblingsAreOneBox) {
  const Plan plan = example("windtunnel-four-nodes.yaml");
  const std::string dot = draw_scope(plan, *plan.find_scope("heartbeat"));
  EXPECT_THAT(dot, HasSubstr("35 times\\nthread t0..t34\\nreduce keep: latest"));
  EXPECT_THAT(dot, HasSubstr("reads 14 trace elements each"));
  EXPECT_EQ(times_in(dot, "35 times"), 4U);
  EXPECT_LT(times_in(dot, " -> "), 12U);
}

/// The picture of a scope over the wind tunnel on four nodes.
std::string picture_of(const std::string& scope) {
  const auto loaded = parse_plan(
      "include: " EVENTSPACE_EXAMPLES "/windtunnel-four-nodes.yaml\nscopes: {s: {" + scope + "}}\n",
      "s.yaml");
  for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
  return loaded.plan ? draw_scope(*loaded.plan, *loaded.plan->find_scope("s")) : "";
}

TEST(Drawing, InsertedPartsAreDrawnWhereTheyRun) {
  const std::string dot = picture_of("shape: {k-ary: 2}");
  const auto node = [&dot](const char* name) { return dot.find(std::string("cluster node ") + name); };
  const auto part = [&dot](const char* name) { return dot.find(std::string(name) + " of all"); };
  EXPECT_LT(node("n1"), part("part 1"));
  EXPECT_LT(part("part 1"), dot.find(">node n2 "));
  EXPECT_LT(node("n3"), part("part 2"));
  EXPECT_LT(part("part 2"), dot.find(">node n4 "));
}

TEST(Drawing, ATreeIsDrawnAsItIsWritten) {
  const std::string dot = picture_of(
      "tree: {name: top, on: consumer, wrapper: merge, children: [{name: north-half, on: n2, wrapper: "
      "reduce, "
      "sources: [{threads: 't[0-69]'}]}, {name: south-half, on: n3, wrapper: reduce, "
      "sources: [{threads: 't[70-139]'}]}]}");
  EXPECT_THAT(dot, HasSubstr("top<br/>merge by: end"));
  EXPECT_THAT(dot, HasSubstr("north-half\\nreduce keep: latest"));
  EXPECT_LT(dot.find("cluster node n3"), dot.find("south-half"));
}

// --- measurements ---

// Ten pulls of 10 ms each: node n1 takes 9 ms of each, n2 and n3 1 ms, and n4 answers each second one.
ScopeFigures figures_of(const Plan& plan, const ScopeTree& scope) {
  using std::chrono::milliseconds;
  ScopeFigures figures(plan, scope);
  for (int pull = 0; pull < 10; ++pull) {
    View view;
    view.sources_read = 1000;
    view.loss.reduced = 100;
    view.levels = {{"node n1", milliseconds(9), 70, 0},
                   {"node n2", milliseconds(1), 70, 0},
                   {"node n3", milliseconds(pull == 3 ? 2 : 1), 70, 0},
                   {"all", milliseconds(10), 245, 0}};
    if (pull % 2 == 0) view.levels.push_back({"node n4", milliseconds(6), 69, 3});
    if (pull % 2 == 1)
      view.missing = {{"n4", "server of node n4", MissingCause::no_answer, "", 490},
                      {"n3", "process p2", MissingCause::no_segment, "", 490}};
    figures.add(view, milliseconds(10));
  }
  Link::Counts traffic;
  traffic.bytes_received = 204800;
  figures.finish(std::chrono::seconds(1), traffic);
  return figures;
}

class LiveDrawing : public testing::Test {
 protected:
  // The name of the box in the picture that has `text` in its label.
  [[nodiscard]] std::string box(const std::string& text) const {
    const std::string line = line_with(dot_, text);
    const std::size_t begin = line.find('"') + 1;
    return line.substr(begin, line.find('"', begin) - begin);
  }
  [[nodiscard]] std::string arrow_to(const std::string& text) const {
    return line_with(dot_, "\"" + box(text) + "\" -> ");
  }

  Plan plan_ = example("windtunnel-four-nodes.yaml");
  const ScopeTree& scope_ = *plan_.find_scope("heartbeat");
  std::string dot_ = draw_scope(plan_, scope_, figures_of(plan_, scope_));
};

TEST_F(LiveDrawing, ShowsTheFiguresOfWholePullsAboveThePicture) {
  EXPECT_THAT(
      dot_,
      HasSubstr("10 pulls in 1.0s (10.0 per second), 10ms each, 10ms at most; 20 KiB received per pull"));
  EXPECT_THAT(dot_, HasSubstr("lost: 0 discarded, 0 torn, 0 repeated; 1000 reduced, 0 filtered"));
  EXPECT_THAT(dot_, HasSubstr("missing at times: process p2 (no segment), server of node n4 (no answer)"));
}

TEST_F(LiveDrawing, PartsHaveTheirTimes) {
  EXPECT_THAT(line_with(dot_, "node n1\\n"), HasSubstr("9ms each, 9ms at most"));
  EXPECT_THAT(line_with(dot_, "node n3\\n"), HasSubstr("1.1ms each, 2ms at most"));
  EXPECT_THAT(line_with(dot_, "node n1\\n"), Not(HasSubstr("color")));
}

TEST_F(LiveDrawing, ArrowsShowTheYieldOfAPartAndAreRedderTheMoreTimeItTakes) {
  EXPECT_THAT(line_with(dot_, "node n1\\n"), HasSubstr("90 % of the time\\nyields 70 records, 4.38 KiB"));
  EXPECT_THAT(arrow_to("node n1\\n"), HasSubstr("color=\"#c02020\""));
  EXPECT_THAT(arrow_to("node n1\\n"), HasSubstr("penwidth=\"3.7\""));
  EXPECT_THAT(arrow_to("node n2\\n"), HasSubstr("color=\"gray35\""));
  EXPECT_THAT(line_with(dot_, "node n4\\n"),
              HasSubstr("60 % of the time\\nyields 69 records, 4.31 KiB\\nand 3 aggregates"));
  EXPECT_THAT(arrow_to("node n4\\n"), HasSubstr("color=\"#e07000\""));
}

TEST_F(LiveDrawing, MissingPartsAreFramedWithTheirReason) {
  const std::string late = line_with(dot_, "node n4\\n");
  EXPECT_THAT(late,
              HasSubstr("answered 5 of 10 pulls\\nmissing in 5 of 10 pulls:\\nserver of node n4: no answer"));
  EXPECT_THAT(late, HasSubstr("color=\"#c02020\""));
  EXPECT_THAT(line_with(dot_, "node n3\\n"), HasSubstr("missing in 5 of 10 pulls:\\nprocess p2: no segment"));
}

TEST_F(LiveDrawing, NodesWithoutFiguresAreDrawnAsBefore) {
  EXPECT_THAT(dot_, HasSubstr("35 times\\nthread t0..t34\\nreduce keep: latest"));
  EXPECT_EQ(times_in(dot_, "% of the time"), 4U);
  EXPECT_EQ(times_in(dot_, " each, "), 4U + 1 + 1);  // the nodes, the consumer, the legend
}

TEST_F(LiveDrawing, APartThatNeverAnsweredIsDrawnAndYieldsNothing) {
  ScopeFigures figures(plan_, scope_);
  View view;
  view.sources_read = 1;
  view.missing = {{"n1", "server of node n1", MissingCause::no_answer, "", 490}};
  figures.add(view, std::chrono::milliseconds(500));
  dot_ = draw_scope(plan_, scope_, figures);
  EXPECT_THAT(line_with(dot_, "node n1\\n"), HasSubstr("answered 0 of 1 pull"));
  EXPECT_THAT(line_with(dot_, "node n1\\n"), HasSubstr("yields nothing"));
}

TEST(Drawing, NamesCannotBreakTheLanguage) {
  Plan plan;
  plan.name = "quote \" backslash \\";
  EXPECT_THAT(draw_paths(plan, {}), HasSubstr(R"(digraph "paths of quote \" backslash \\" {)"));
}

class DrawCommand : public testing_commands::Workplace {
 protected:
  void start_all() {
    start_servers_of(pathmap_);
    application_.emplace(start_application_of(pathmap_, {TINY_APP}));
  }
  testing_commands::Call draw(const std::vector<std::string>& options) {
    std::vector<std::string> words{"draw", pathmap_};
    words.insert(words.end(), options.begin(), options.end());
    return call(words);
  }
  /// Draws scope "all" while it is measured.
  testing_commands::Call draw_live(std::vector<std::string> options) {
    options.insert(options.begin(), {"--scope", "all", "--live"});
    return draw(options);
  }

  std::filesystem::path pathmap_ = tiny();
  std::optional<testing_commands::Call> application_;
};

TEST_F(DrawCommand, WritesTheLanguageOfGraphvizToStandardOutput) {
  auto call = draw({"--scope", "all"});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_THAT(call.out(), testing::StartsWith("digraph \"scope all of tiny"));
}

TEST_F(DrawCommand, RendersTheFormatOfTheFileName) {
  auto call = draw({"-o", file("paths.svg")});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_THAT(testing_commands::read_text(file("paths.svg")), HasSubstr("<svg"));
}

TEST_F(DrawCommand, RefusesPicturesOfMoreThanAPageAndSaysWhatToDoInstead) {
  auto all = call(
      {"draw", EVENTSPACE_EXAMPLES "/windtunnel-four-nodes.yaml", "--threads", "all", "-o", file("all.png")});
  EXPECT_EQ(all.status(), 2);
  EXPECT_THAT(all.err(), HasSubstr("would draw 1961 paths one by one; more than 400"));
  EXPECT_THAT(all.err(), HasSubstr("--threads grouped draws"));
  EXPECT_FALSE(std::filesystem::exists(file("all.png")));
  auto text = call(
      {"draw", EVENTSPACE_EXAMPLES "/windtunnel-four-nodes.yaml", "--threads", "all", "-o", file("all.dot")});
  EXPECT_EQ(text.status(), 0) << text.err();
  auto nobody = draw({"--only", "zz*"});
  EXPECT_EQ(nobody.status(), 2);
  EXPECT_THAT(nobody.err(), HasSubstr("--only 'zz*' matches none of the 2 threads of pathmap tiny"));
}

TEST_F(DrawCommand, EndsALayoutThatTakesTooLongAndLeavesNothing) {
  std::filesystem::create_directory(file("bin"));
  const auto dot = write("bin/dot", "#!/bin/sh\nexec sleep 1000\n");
  std::filesystem::permissions(dot, std::filesystem::perms::owner_all);
  const test::Variable path("PATH", file("bin").string() + ":" + std::getenv("PATH"));
  auto slow = draw({"-o", file("slow.svg"), "--layout-time", "200ms"});
  auto stopped = start({"draw", pathmap_, "-o", file("stopped.svg")});
  ASSERT_TRUE(testing_commands::eventually([&] { return !processes_with("1000").empty(); }));
  stopped.signal(SIGINT);
  EXPECT_EQ(stopped.status(), 3);
  EXPECT_EQ(slow.status(), 3);
  EXPECT_THAT(slow.err(), HasSubstr("did not lay out 2 boxes and"));
  EXPECT_THAT(slow.err(), HasSubstr("within 200ms (--layout-time)"));
  EXPECT_THAT(stopped.err(), HasSubstr("interrupted; no picture was written"));
  EXPECT_TRUE(processes_with("1000").empty()) << "dot runs on";
  for (const auto& entry : std::filesystem::directory_iterator(file("")))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".svg")));
}

TEST_F(DrawCommand, RefusesUnknownFormatsAndNames) {
  auto scope = draw({"--scope", "nonesuch"});
  EXPECT_EQ(scope.status(), 2);
  EXPECT_THAT(scope.err(), HasSubstr("no scope 'nonesuch'; it has all"));
  auto format = draw({"-o", file("paths.gif")});
  EXPECT_EQ(format.status(), 2);
  EXPECT_THAT(format.err(), HasSubstr(".svg, .png, .pdf or .dot"));
}

TEST_F(DrawCommand, MeasuresAScopeWhileTheApplicationRuns) {
  start_all();
  auto dot = draw_live({"--for", "100ms", "--interval", "10ms"});
  EXPECT_EQ(dot.status(), 0) << dot.err();
  EXPECT_THAT(dot.out(), testing::ContainsRegex("[1-9][0-9]* pulls? in .*s \\(.* per second\\)"));
  EXPECT_THAT(dot.out(), HasSubstr("no part was missing"));
  EXPECT_THAT(line_with(dot.out(), ">node n1 "), testing::ContainsRegex("gather<br/>.*s each, .*s at most"));
  EXPECT_EQ(times_in(dot.out(), "% of the time<br/>yields 1"), 2U) << dot.out();
  auto picture = draw_live({"--for", "0s", "-o", file("live.png")});
  EXPECT_EQ(picture.status(), 0) << picture.err();
  EXPECT_THAT(testing_commands::read_text(file("live.png")), HasSubstr("PNG"));
}

TEST_F(DrawCommand, NamesAServerThatDoesNotAnswerInThePicture) {
  start_all();
  auto down = call({"down", pathmap_, "--node", "n2"});
  auto dot = draw_live({"--for", "0s", "--timeout", "5s"});
  EXPECT_EQ(dot.status(), 0) << dot.err();
  EXPECT_THAT(line_with(dot.out(), ">node n2 "),
              HasSubstr("answered 0 of 1 pull<br/>missing in 1 of 1 pull"));
  EXPECT_THAT(line_with(dot.out(), ">node n1 "), Not(HasSubstr("missing")));
}

TEST_F(DrawCommand, WithoutMeasurementsItIsStatus3AndDrawsNothing) {
  auto alone = draw_live({"--for", "0s", "--timeout", "200ms", "-o", file("live.svg")});
  EXPECT_EQ(alone.status(), 3);
  EXPECT_THAT(alone.err(), HasSubstr("no server of session 'tiny' answers (nodes n1..n2)"));
  EXPECT_FALSE(std::filesystem::exists(file("live.svg")));
}

TEST_F(DrawCommand, InvalidOptionsOfLiveAreStatus2) {
  auto paths = draw({"--live"});
  EXPECT_EQ(paths.status(), 2);
  EXPECT_THAT(paths.err(), HasSubstr("--live measures a scope or a collective: it needs"));
  auto unknown = draw({"--live", "--scope", "nonesuch"});
  EXPECT_EQ(unknown.status(), 2);
}

TEST_F(DrawCommand, SaysWhatToInstallWithoutGraphviz) {
  const test::Variable path("PATH", "/nowhere");
  auto call = draw({"-o", file("paths.svg")});
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("package graphviz"));
}

TEST_F(DrawCommand, ADirectoryThatIsNotThereIsStatus3) {
  auto call = draw({"-o", file("nowhere/paths.dot")});
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("cannot write"));
}

TEST(ResultTable, HasThreeFormats) {
  ResultTable table({"name", "count"});
  table.add({"a, b", 3});
  table.add({"c", nullptr});
  const auto printed = [&table](Format format) {
    std::ostringstream out;
    table.print(out, format);
    return out.str();
  };
  EXPECT_EQ(printed(Format::text), "name  count\na, b  3\nc\n");
  EXPECT_EQ(printed(Format::json), "{\"name\":\"a, b\",\"count\":3}\n{\"name\":\"c\",\"count\":null}\n");
  EXPECT_EQ(printed(Format::csv), "name,count\n\"a, b\",3\nc,\n");
}

}  // namespace
}  // namespace eventspace
