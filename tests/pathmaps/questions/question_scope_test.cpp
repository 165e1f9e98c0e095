#include "pathmaps/questions/question_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/session_plan.h"
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"

// Scopes that answer questions of the command line: no process, no socket.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

// Two nodes; threads a, b on n1 and c on n2 write to "log", and a and c also to "rare". "log" is recorded at
// both ends.
constexpr const char* pathmap = R"(pathmap: 1
name: asked
cluster: {nodes: {n1: {priority: idle}, n2: {}}}
application:
  threads: [a, b, c]
  elements:
    - {name: "{thread}/log", for: "*", tuple: [int], when_full: discard}
    - {name: rare, tuple: [int], when_full: discard}
  paths:
    - {thread: "*", name: log, element: "{thread}/log", use: write}
    - {thread: "{a,c}", name: rare, element: rare, use: write}
placement:
  processes:
    p0: {node: n1, threads: [a, b]}
    p1: {node: n2, threads: [c]}
  elements: [{elements: "**", process: p0}]
collect:
  points: [{at: thread}, {paths: log, at: both}]
scopes:
  events: {read: next, threads: a, levels: [{group: all, wrapper: gather}]}
  newest: {levels: [{group: all, wrapper: gather}]}
  both: {read: next, at: both, paths: log, levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}
  sums: {read: next, levels: [{group: all, wrapper: {aggregate: {as: sum}}}, {group: node, wrapper: {aggregate: {as: sum}}}]}
)";

void add_names(const ScopeNode& node, const Plan& plan, std::multiset<std::string>& names) {
  for (const SourceRef& source : node.sources) names.insert(plan.traces[TraceIndex(source.trace)].name);
  for (const ScopeNode& child : node.children) add_names(child, plan, names);
}

// The wrappers on the way from `node` to its first read, outermost first; '@' before wrappers that begin a
// part on another node.
std::vector<std::string> wrappers_of(const ScopeNode& node) {
  std::vector<std::string> wrappers;
  const ScopeNode* at = &node;
  while (at != nullptr) {
    wrappers.push_back((at->node.empty() ? "" : "@" + at->node + " ") + at->wrapper);
    at = at->children.empty() ? nullptr : &at->children.front();
  }
  return wrappers;
}

class QuestionScope : public testing::Test {
 protected:
  QuestionScope() : file_(directory_.path() / "asked.yaml") {
    std::ofstream(file_) << pathmap;
    plan_ = require_plan(file_);
  }

  ScopeTree ask(const Question& question) {
    return asked_scope(file_, plan_, {"events", false, false, question});
  }
  ScopeTree ask(const Question& question, const std::string& scope) {
    return asked_scope(file_, plan_, {scope, true, false, question});
  }
  std::multiset<std::string> read_by(const ScopeTree& tree) {
    std::multiset<std::string> names;
    add_names(tree.root, plan_, names);
    return names;
  }
  std::string refusal(const Question& question, const std::string& scope = "") {
    return test::error_text<ConfigurationError>(
        [&] { (void)(scope.empty() ? ask(question) : ask(question, scope)); });
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path file_;
  Plan plan_;
};

Question where(std::string expression) {
  Question question;
  question.where = std::move(expression);
  return question;
}
Question of_threads(std::string glob) {
  Question question;
  question.threads = std::move(glob);
  return question;
}
Question of_paths(std::string glob) {
  Question question;
  question.paths = std::move(glob);
  return question;
}
Question last(std::size_t number) {
  Question question;
  question.last = number;
  return question;
}
Question numbers(Parameters parameters) {
  Question question;
  question.numbers = std::move(parameters);
  question.makes_numbers = true;
  return question;
}

TEST_F(QuestionScope, WithoutAQuestionTheScopeOfThePathmapIsUsedAsItIs) {
  EXPECT_THAT(read_by(ask({})), UnorderedElementsAre("a/log@thread", "a/rare@thread"));
}

TEST_F(QuestionScope, AQuestionReadsAllRecordedEventsEachOperationOnce) {
  EXPECT_THAT(
      read_by(ask(where("bytes > 1"))),
      UnorderedElementsAre("a/log@thread", "a/rare@thread", "b/log@thread", "c/log@thread", "c/rare@thread"));
}

TEST_F(QuestionScope, AQuestionAboutPointsReadsAllPoints) {
  EXPECT_THAT(read_by(ask(where("point == 'element'"))),
              testing::IsSupersetOf({"b/log@thread", "b/log@element"}));
  EXPECT_THAT(read_by(ask(where("thread != 'midpoint'"))), Not(testing::Contains("b/log@element")))
      << "part of a longer word is not the field";
}

TEST_F(QuestionScope, OnlyTheTraceElementsOfTheThreadsAndPathsAreRead) {
  EXPECT_THAT(read_by(ask(of_threads("b"))), ElementsAre("b/log@thread"));
  EXPECT_THAT(read_by(ask(of_paths("r*"))), UnorderedElementsAre("a/rare@thread", "c/rare@thread"));
  Question both = of_paths("rare");
  both.threads = "c";
  EXPECT_THAT(read_by(ask(both)), ElementsAre("c/rare@thread"));
}

TEST_F(QuestionScope, TheFilterRunsWhereTheEventsAre) {
  EXPECT_THAT(wrappers_of(ask(where("bytes > 1")).root),
              ElementsAre("gather", "@n1 filter", "gather", "read"));
}

TEST_F(QuestionScope, NumbersAreComputedAtTheEventsAndTheGreatestChosenAtTheRoot) {
  const ScopeTree tree = ask(numbers({{"by", std::string("thread")}, {"most", std::int64_t{2}}}));
  EXPECT_THAT(wrappers_of(tree.root), ElementsAre("aggregate", "gather", "@n1 aggregate", "gather", "read"))
      << "probes and processes without a pathmap are wanted too, so no filter";
  EXPECT_TRUE(tree.root.parameters.contains("most"));
  EXPECT_FALSE(tree.root.children[0].children[0].parameters.contains("most"));
}

TEST_F(QuestionScope, EachNodeSendsOnlyItsLastEventsWithComparableTimes) {
  const ScopeTree tree = ask(last(7));
  EXPECT_THAT(wrappers_of(tree.root),
              ElementsAre("sort", "reduce", "gather", "@n1 reduce", "convert", "gather", "read"));
  EXPECT_EQ(parameter<std::int64_t>(tree.root.children[0].parameters, "most"), 7);
}

TEST_F(QuestionScope, ANamedScopeIsNarrowedAndKeepsItsPoints) {
  EXPECT_THAT(read_by(ask(of_threads("c"), "both")), UnorderedElementsAre("c/log@thread", "c/log@element"));
}

TEST_F(QuestionScope, TheTimeOutStaysWithTheOutermostWrapper) {
  const ScopeTree tree = ask(last(1), "both");
  EXPECT_EQ(tree.root.timeout, std::chrono::seconds(6));
  EXPECT_EQ(tree.root.children[0].timeout.count(), 0);
  const ScopeNode& part = tree.root.children[0].children[0].children[0];
  ASSERT_EQ(part.node, "n1");
  EXPECT_EQ(part.allowance, std::chrono::seconds(5));
  EXPECT_EQ(part.children[0].allowance.count(), 0);
}

TEST_F(QuestionScope, TheTimeFromWhichToReadIsThatOfTheQuestion) {
  Question question;
  question.since = std::chrono::seconds(2);
  EXPECT_EQ(ask(question).since, std::chrono::seconds(2));
}

TEST_F(QuestionScope, AGlobThatMatchesNothingIsNamedWithTheKnownNames) {
  EXPECT_THAT(refusal(of_threads("zz*")),
              AllOf(HasSubstr("--threads 'zz*' matches no thread"), HasSubstr("known: a, b, c")));
  EXPECT_THAT(refusal(of_paths("rar")), HasSubstr("--paths 'rar' matches no path"));
  EXPECT_THAT(refusal(of_paths("rar")), HasSubstr("did you mean 'rare'?"));
}

TEST_F(QuestionScope, FaultsOfAnExpressionHaveTheirColumnAndWhatWasExpected) {
  EXPECT_THAT(
      refusal(where("verb == 'wirte'")),
      testing::StartsWith("--where: column 9: unknown value 'wirte' for 'verb'; did you mean 'write'?"));
  EXPECT_THAT(refusal(numbers({{"of", std::string("byts")}})),
              testing::StartsWith("--of: column 1: unknown field 'byts'; did you mean 'bytes'?"));
  EXPECT_THAT(refusal(numbers({{"as", std::string("avg")}})), HasSubstr("--as: found 'avg'"));
  EXPECT_THAT(refusal(of_threads("a{")), HasSubstr("--threads 'a{'"));
}

TEST_F(QuestionScope, AScopeThatCannotAnswerIsAnErrorWithTheReason) {
  EXPECT_THAT(refusal(last(3), "newest"), HasSubstr("--last needs a scope that reads all events"));
  EXPECT_THAT(refusal(last(3), "sums"), HasSubstr("scope sums aggregates them"));
  EXPECT_THAT(refusal(numbers({{"as", std::string("max")}}), "sums"),
              HasSubstr("scope sums already aggregates events"));
  EXPECT_THAT(refusal(of_threads("a"), "evnts"), HasSubstr("no scope 'evnts'"));
}

TEST_F(QuestionScope, APathmapWithoutTheMonitorsScopeIsWatchedToo) {
  const ScopeTree tree = asked_scope(file_, plan_, {"heartbeat", false, true, {}});
  EXPECT_FALSE(tree.next);
  EXPECT_EQ(read_by(tree).size(), 5U);
}

TEST_F(QuestionScope, InASessionWithoutAPathmapTheFilterChoosesByName) {
  const auto session = plan_of_session("s1");
  Question question = of_threads("*/main");
  question.last = 2;
  const ScopeTree tree = asked_scope("s1", *session, {"events", false, false, question});
  EXPECT_THAT(wrappers_of(tree.root), ElementsAre("sort", "reduce", "reduce", "filter", "gather", "read"));
}

}  // namespace
}  // namespace eventspace
