#include "monitors/drawing.h"

#include <cstdlib>
#include <set>

#include "monitors/name_ranges.h"
#include "monitors/result_table.h"
#include "pathmaps/pathmap.h"
#include "tests/monitors/workplace.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::Not;

Plan example(const std::string& name) { return require_plan(EVENTSPACE_EXAMPLES "/" + name); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
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
  const std::string dot = draw_paths(example("windtunnel-four-nodes.yaml"), ThreadDetail::collapsed);
  EXPECT_THAT(dot, HasSubstr("subgraph \"cluster node n1\""));
  EXPECT_THAT(dot, HasSubstr("t0..t34, main"));
  EXPECT_THAT(dot, HasSubstr("\"process p0\" -> \"process p1\""));
  EXPECT_THAT(dot, HasSubstr("send/south/{s,se,sw}"));
  EXPECT_LT(count(dot, "->"), 20U);
}

TEST(Drawing, ProcessesSayHowManyElementsTheyShare) {
  const std::string dot = draw_paths(example("windtunnel-four-processes.yaml"), ThreadDetail::collapsed);
  EXPECT_THAT(dot, HasSubstr("245 elements (210 shared)"));
}

TEST(Drawing, JointsAreShownWhereTheyAre) {
  const Plan plan = example("windtunnel-collectives.yaml");
  const std::string collapsed = draw_paths(plan, ThreadDetail::collapsed);
  EXPECT_THAT(collapsed, HasSubstr("2 joints:"));
  EXPECT_THAT(collapsed, HasSubstr("10 joints:"));
  EXPECT_THAT(collapsed, HasSubstr("t0..t34, main")) << "joints are no threads";
  const std::string all = draw_paths(plan, ThreadDetail::all);
  EXPECT_THAT(all, HasSubstr("\"joint balance/p0\" -> \"joint balance\""));
  EXPECT_THAT(all, HasSubstr("\"thread t0\" -> \"joint balance/p0/+1\""));
  EXPECT_THAT(all, Not(HasSubstr("\"thread balance")));
}

TEST(Drawing, EveryThreadAndPathIsDrawnIfAsked) {
  const Plan plan = example("windtunnel-four-nodes.yaml");
  const std::string dot = draw_paths(plan, ThreadDetail::all);
  EXPECT_EQ(count(dot, " -> "), plan.paths.size());
  EXPECT_THAT(dot, HasSubstr("\"thread t139\""));
}

TEST(Drawing, PathsPassTheirGateways) {
  const std::string dot = draw_paths(example("windtunnel-two-clusters.yaml"), ThreadDetail::collapsed);
  EXPECT_THAT(dot, HasSubstr("subgraph \"cluster cluster a\""));
  EXPECT_THAT(dot, HasSubstr("\"process p3\" -> \"server of gb\""));
  EXPECT_THAT(dot, Not(HasSubstr("\"process p3\" -> \"process p4\"")));
}

TEST(Drawing, SiblingsOfTheSameMakeAreOneBox) {
  const Plan plan = example("windtunnel-four-nodes.yaml");
  const std::string dot = draw_scope(plan, *plan.find_scope("heartbeat"));
  EXPECT_THAT(dot, HasSubstr("35 times\\nthread t0..t34\\nreduce keep: latest"));
  EXPECT_THAT(dot, HasSubstr("reads 14 trace elements each"));
  EXPECT_EQ(count(dot, "35 times"), 4U);
  EXPECT_LT(count(dot, " -> "), 12U);
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
  EXPECT_LT(part("part 1"), node("n2"));
  EXPECT_LT(node("n3"), part("part 2"));
  EXPECT_LT(part("part 2"), node("n4"));
}

TEST(Drawing, ATreeIsDrawnAsItIsWritten) {
  const std::string dot = picture_of(
      "tree: {name: top, on: consumer, wrapper: merge, children: [{name: north-half, on: n2, wrapper: "
      "reduce, "
      "sources: [{threads: 't[0-69]'}]}, {name: south-half, on: n3, wrapper: reduce, "
      "sources: [{threads: 't[70-139]'}]}]}");
  EXPECT_THAT(dot, HasSubstr("top\\nmerge by: end"));
  EXPECT_THAT(dot, HasSubstr("north-half\\nreduce keep: latest"));
  EXPECT_LT(dot.find("cluster node n3"), dot.find("south-half"));
}

TEST(Drawing, NamesCannotBreakTheLanguage) {
  Plan plan;
  plan.name = "quote \" backslash \\";
  EXPECT_THAT(draw_paths(plan, ThreadDetail::collapsed),
              HasSubstr(R"(digraph "paths of quote \" backslash \\" {)"));
}

class DrawCommand : public testing_commands::Workplace {};

TEST_F(DrawCommand, WritesTheLanguageOfGraphvizToStandardOutput) {
  auto call = this->call({"draw", tiny(), "--scope", "all"});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_THAT(call.out(), testing::StartsWith("digraph \"scope all of tiny"));
}

TEST_F(DrawCommand, RendersWhatTheFileNameAsksFor) {
  auto call = this->call({"draw", tiny(), "-o", file("paths.svg")});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_THAT(testing_commands::read_text(file("paths.svg")), HasSubstr("<svg"));
}

TEST_F(DrawCommand, RefusesWhatItCannotDraw) {
  auto scope = call({"draw", tiny(), "--scope", "nonesuch"});
  EXPECT_EQ(scope.status(), 2);
  EXPECT_THAT(scope.err(), HasSubstr("no scope 'nonesuch'; it has all"));
  auto format = call({"draw", tiny(), "-o", file("paths.gif")});
  EXPECT_EQ(format.status(), 2);
  EXPECT_THAT(format.err(), HasSubstr(".svg, .png, .pdf or .dot"));
}

TEST_F(DrawCommand, SaysWhatToInstallWithoutGraphviz) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  auto call = this->call({"draw", tiny(), "-o", file("paths.svg")});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(call.status(), 3);
  EXPECT_THAT(call.err(), HasSubstr("package graphviz"));
}

TEST_F(DrawCommand, ADirectoryThatIsNotThereIsStatus3) {
  auto call = this->call({"draw", tiny(), "-o", file("nowhere/paths.dot")});
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
