#include "monitors/elements/element_rows.h"

#include <gmock/gmock.h>

#include <sstream>

#include "pathmaps/pathmap.h"
#include "tests/pathmaps/valid_plan.h"

// The rows that `eventspace elements` makes from the answers of hosts: no process, no socket.
namespace eventspace {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

Plan plan_of_market() {
  return test::valid_plan(parse_plan(R"(
pathmap: 1
name: market
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}}}
application:
  threads: [w0, w1, r0]
  elements:
    - {name: queue, tuple: [int], threshold: 50}
    - {name: board, tuple: [int]}
    - {name: own, tuple: [int]}
  paths:
    - {thread: "w*", name: put, element: queue, use: write}
    - {thread: r0, name: get, element: queue, use: read}
    - {thread: "*", name: post, element: board}
    - {thread: w1, name: note, element: own}
placement:
  processes: {pw: {node: n1, threads: [w0, w1]}, pr: {node: n1, port: 7203, threads: [r0]}}
  elements: [{elements: queue, process: pr}, {elements: board, node: n1}, {elements: own, process: pw}]
)",
                                     "market.yaml"));
}

ElementState state_of(const std::string& name, std::uint64_t written, std::uint64_t taken) {
  ElementState state;
  state.name = name;
  state.type = "(int)";
  state.capacity = 50;
  state.written = written;
  state.taken = taken;
  state.kept = written - taken;
  state.oldest = state.kept > 0 ? taken + 1 : 0;
  state.newest = state.kept > 0 ? written : 0;
  return state;
}

std::string printed(const std::vector<ElementRow>& rows, Format format) {
  std::ostringstream out;
  print_rows(out, format, rows);
  return out.str();
}

class ElementRows : public testing::Test {
 protected:
  [[nodiscard]] std::vector<ElementRow> rows(const std::vector<ElementAnswer>& now,
                                             const std::vector<ElementAnswer>& before = {}) const {
    return element_rows(plan_, users_in(plan_), now, before, seconds(2));
  }
  Plan plan_ = plan_of_market();
};

TEST_F(ElementRows, AreThoseOfThePlanWithTheStatesOfTheirHosts) {
  const auto all =
      rows({{"process pr", {state_of("queue", 60, 10)}, ""}, {"node n1", {state_of("board", 0, 0)}, ""}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].host, "process pr");
  EXPECT_EQ(all[0].users, "read: r0; write: w0..w1");
  EXPECT_EQ(all[0].state->kept, 50u);
  EXPECT_FALSE(all[0].written_rate) << "there is no earlier answer";
  EXPECT_EQ(all[1].users, "any: w0..w1, r0");
  EXPECT_EQ(all[1].state->written, 0u);
  EXPECT_FALSE(all[2].state);
  EXPECT_THAT(all[2].detail, HasSubstr("only threads of its process use it"));
}

TEST_F(ElementRows, RatesCoverTheTimeBetweenAnswersAndAreAbsentIfTheElementWasRecreated) {
  const std::vector<ElementAnswer> before{{"process pr", {state_of("queue", 60, 10)}, ""}};
  const auto later = rows({{"process pr", {state_of("queue", 100, 20)}, ""}}, before);
  EXPECT_EQ(later[0].written_rate, 20.0);
  EXPECT_EQ(later[0].taken_rate, 5.0);
  const auto anew = rows({{"process pr", {state_of("queue", 3, 1)}, ""}}, before);
  EXPECT_FALSE(anew[0].written_rate);
  EXPECT_FALSE(anew[0].taken_rate);
}

TEST_F(ElementRows, ElementsOfASilentHostGiveItsReason) {
  const auto all = rows({{"process pr", {}, "it does not answer"}, {"node n1", {}, ""}});
  EXPECT_EQ(all[0].detail, "it does not answer");
  EXPECT_EQ(all[1].detail, "its process has not made it yet");
}

TEST_F(ElementRows, AnElementThatCouldNotBeReadHasNoNumbers) {
  ElementState state = state_of("queue", 0, 0);
  state.is_known = false;
  const auto all = rows({{"process pr", {state}, ""}});
  EXPECT_FALSE(all[0].state);
  EXPECT_THAT(printed(all, Format::json), HasSubstr(R"("kept":null,"capacity":null)"));
}

TEST_F(ElementRows, AreWrittenInAllFormats) {
  const std::vector<ElementAnswer> now{{"process pr", {state_of("queue", 60, 10)}, ""}};
  EXPECT_THAT(printed(rows(now, now), Format::text), HasSubstr("50 of 50  #11     #60     0.0"));
  EXPECT_THAT(
      printed(rows(now), Format::csv),
      HasSubstr(
          "\nqueue,process pr,memory,(int),wait,50,50,,,11,60,60,10,0,0,0,,,read: r0; write: w0..w1,\n"));
  EXPECT_THAT(printed(rows(now, now), Format::json),
              HasSubstr(R"x({"element":"queue","host":"process pr","kind":"memory","type":"(int)",)x"
                        R"("when_full":"wait","kept":50,"capacity":50,)"));
}

}  // namespace
}  // namespace eventspace
