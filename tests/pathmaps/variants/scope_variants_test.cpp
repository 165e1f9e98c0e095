#include "pathmaps/variants/scope_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "scopes/tree/scope_codec.h"
#include "tests/error_text.h"
#include "tests/pathmaps/expansion/scopes/tree_text.h"
#include "tests/pathmaps/pathmap_text.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

std::filesystem::path example_file(const std::string& name) {
  return std::filesystem::path(EVENTSPACE_EXAMPLE_FOLDER) / (name + ".yaml");
}

void add_sources(const ScopeNode& node, std::multiset<SourceRef>& sources) {
  sources.insert(node.sources.begin(), node.sources.end());
  for (const ScopeNode& child : node.children) add_sources(child, sources);
}

std::multiset<SourceRef> sources_in(const ScopeTree& tree) {
  std::multiset<SourceRef> sources;
  add_sources(tree.root, sources);
  return sources;
}

std::vector<std::byte> unnamed(ScopeTree tree) {
  tree.scope.clear();
  return encode(tree);
}

std::vector<std::string> words_of(const ScopeVariants& found) {
  std::vector<std::string> words;
  for (const auto& variant : found.variants) words.push_back(variant.words);
  return words;
}

std::size_t nodes_with(const ScopeNode& node, const std::string& wrapper) {
  std::size_t found = node.wrapper == wrapper ? 1 : 0;
  for (const auto& child : node.children) found += nodes_with(child, wrapper);
  return found;
}

class VariantsOfExamples : public testing::TestWithParam<std::string> {};

TEST_P(VariantsOfExamples, AreTheScopeAndOtherTreesOverTheSameSources) {
  const auto file = example_file(GetParam());
  const Plan plan = require_plan(file);
  for (const ScopeTree& scope : plan.scopes) {
    const ScopeVariants found = scope_variants(file, plan, scope.scope, 24);
    ASSERT_FALSE(found.variants.empty()) << scope.scope;
    EXPECT_EQ(encode(found.variants.front().tree), encode(scope)) << scope.scope;
    std::set<std::vector<std::byte>> trees;
    for (const ScopeVariant& variant : found.variants) {
      EXPECT_EQ(sources_in(variant.tree), sources_in(scope)) << scope.scope << ": " << variant.words;
      EXPECT_EQ(variant.tree.fingerprint, plan.fingerprint);
      EXPECT_TRUE(trees.insert(encode(variant.tree)).second) << scope.scope << ": " << variant.words;
    }
  }
}

TEST_P(VariantsOfExamples, WrittenAsPathmapsGiveTheSameTrees) {
  const test::TemporaryDirectory folder;
  const auto file = example_file(GetParam());
  const Plan plan = require_plan(file);
  const ScopeVariants found = scope_variants(file, plan, "cluster-view", 24);
  for (const std::size_t i : {std::size_t{0}, found.variants.size() / 2, found.variants.size() - 1}) {
    const ScopeVariant& variant = found.variants[i];
    const auto written = std::filesystem::path(folder.path()) / "best.yaml";
    std::ofstream(written) << pathmap_with(file, folder.path(), "best", variant.lines);
    const LoadResult loaded = load_plan(written);
    for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
    ASSERT_TRUE(loaded.plan && loaded.plan->find_scope("best"));
    EXPECT_EQ(unnamed(*loaded.plan->find_scope("best")), unnamed(variant.tree)) << variant.words;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, VariantsOfExamples,
                         testing::Values("windtunnel-one-process", "windtunnel-four-nodes",
                                         "windtunnel-four-processes", "windtunnel-two-clusters"),
                         [](const auto& example) {
                           auto name = example.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ScopeVariants, DifferInLevelsArityAskingAndPlace) {
  const auto file = example_file("windtunnel-two-clusters");
  const auto found = scope_variants(file, require_plan(file), "cluster-view");
  const auto words = words_of(found);
  EXPECT_EQ(words.front(), "all > node > thread");
  for (const char* const expected :
       {"all", "all > node", "all > cluster > node", "all > cluster > node > process > thread",
        "all (arity 4) > node", "all (ask in-turn) > node", "all > node (ask {threads: 2}) > thread",
        "all > cluster (on consumer) > node"})
    EXPECT_THAT(words, Contains(expected));
}

TEST(ScopeVariants, KeepWrappersThatDoMoreThanTheLevelAbove) {
  const auto file = example_file("windtunnel-two-clusters");
  const Plan plan = require_plan(file);
  const auto found = scope_variants(file, plan, "heartbeat", 48);
  EXPECT_GT(found.variants.size(), 10U);
  for (const auto& variant : found.variants)
    EXPECT_EQ(nodes_with(variant.tree.root, "reduce"), 140U) << variant.words;
}

bool has_own_paths(const ScopeNode& node) {
  return node.ask_path || node.answer_path || std::ranges::any_of(node.children, has_own_paths);
}

// The path numbers of a recorded scope belong to its tree, and the servers do not have such paths for other
// trees.
TEST(ScopeVariants, OfARecordedScopeAreNotRecorded) {
  const auto file = example_file("windtunnel-observed-scopes");
  const Plan plan = require_plan(file);
  ASSERT_TRUE(has_own_paths(plan.find_scope("observed")->root));
  const auto found = scope_variants(file, plan, "observed", 20);
  EXPECT_THAT(found.variants, SizeIs(20));
  for (const auto& variant : found.variants) {
    EXPECT_FALSE(has_own_paths(variant.tree.root)) << variant.words;
    EXPECT_EQ(variant.tree.fingerprint, plan.scopes_fingerprint) << variant.words;
  }
  EXPECT_GT(scope_variants(file, plan, "observer", 20).variants.size(), 5U);
}

TEST(ScopeVariants, AreLimitedInNumberAndCountTheOthers) {
  const auto file = example_file("windtunnel-two-clusters");
  const Plan plan = require_plan(file);
  const auto few = scope_variants(file, plan, "cluster-view", 5);
  EXPECT_THAT(few.variants, SizeIs(5));
  EXPECT_GT(few.left_out, 0U);
  const auto more = scope_variants(file, plan, "cluster-view", 20);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(few.variants[i].words, more.variants[i].words);
}

class VariantsOf : public testing::Test {
 protected:
  /// Writes a pathmap of threads t0 to t3 in two processes on two nodes, with this scope.
  std::filesystem::path with_scope(const std::string& lines) {
    std::ofstream(file_) << R"(pathmap: 1
name: small
cluster:
  nodes:
    n1: {host: 127.0.0.1, port: 7101}
    n2: {host: 127.0.0.1, port: 7102}
application:
  threads: ["t[0-3]"]
  elements:
    - {name: "log/{thread}", for: "*", tuple: [int]}
  paths:
    - {thread: "*", name: log, element: "log/{thread}", use: write}
placement:
  processes:
    p0: {node: n1, threads: "t[0-1]"}
    p1: {node: n2, threads: "t[2-3]"}
collect:
  points: [{at: thread}]
scopes:
  s:
)" + lines;
    return file_;
  }
  ScopeVariants variants(const std::string& lines, std::size_t most = 256) {
    const auto file = with_scope(lines);
    return scope_variants(file, require_plan(file), "s", most);
  }

 private:
  test::TemporaryDirectory folder_;
  std::filesystem::path file_ = std::filesystem::path(folder_.path()) / "odd name: #1.yaml";
};

TEST_F(VariantsOf, ScopesWithUnusualWordsKeepTheirMeaning) {
  const auto found = variants(
      "    threads: [\"t[0-3]\", '*']\n"
      "    except: [{threads: 't3', paths: \"{log,l?g}\"}]\n"
      "    timeout: 1.5s\n"
      "    levels:\n"
      "      - {group: all, wrappers: [gather, {filter: {where: \"thread matches 't*' and \\\"a\\\" != 'b, "
      "[c]'\","
      " verbs: [write]}}]}\n"
      "      - {group: node, wrapper: gather}\n");
  ASSERT_GT(found.variants.size(), 3U);
  for (const auto& variant : found.variants) {
    EXPECT_EQ(sources_in(variant.tree).size(), 3U);
    EXPECT_EQ(variant.tree.root.wrapper, "filter");
    EXPECT_EQ(variant.tree.root.parameters, found.variants[0].tree.root.parameters);
    EXPECT_EQ(variant.tree.root.timeout, std::chrono::milliseconds(1500));
  }
}

TEST_F(VariantsOf, AddedLevelsHaveTheWrapperOfTheLevelAboveForPartialViews) {
  const auto found = variants("    shape: flat\n    wrapper: {aggregate: {as: mean, by: thread, most: 2}}\n");
  for (const auto& variant : found.variants) {
    for (const auto& child : variant.tree.root.children) {
      if (child.wrapper == "read") continue;
      EXPECT_EQ(child.wrapper, "aggregate") << variant.words;
      EXPECT_FALSE(child.parameters.contains("most")) << variant.words;
    }
  }
}

TEST_F(VariantsOf, LevelsAddedBelowAFilterOnlyGather) {
  const auto found = variants(
      "    levels:\n"
      "      - {group: all, wrapper: {reduce: {keep: latest}}}\n"
      "      - {group: node, wrappers: [gather, {filter: {longer_than: 1ms}}]}\n");
  EXPECT_THAT(words_of(found), Contains("all > node > thread"));
  for (const auto& variant : found.variants) {
    for (const auto& filter : variant.tree.root.children) {
      EXPECT_EQ(filter.wrapper == "filter" ? nodes_with(filter, "reduce") : 0, 0U) << variant.words;
    }
  }
}

TEST_F(VariantsOf, LevelsWithATimeoutOrALatenessAreKept) {
  const auto found = variants(
      "    levels:\n"
      "      - {group: all, wrapper: gather}\n"
      "      - {group: node, wrapper: gather, timeout: 100ms, late: skip}\n");
  for (const auto& variant : found.variants) EXPECT_THAT(variant.words, HasSubstr("node"));
}

TEST_F(VariantsOf, BatchesVaryForScopesOfUnreadEvents) {
  const auto found = variants("    read: next\n    shape: by-node\n");
  EXPECT_THAT(words_of(found), Contains("all > node; batch 100"));
  const auto newest = variants("    shape: by-node\n");
  for (const auto& words : words_of(newest)) EXPECT_EQ(words.find("batch"), std::string::npos);
}

TEST_F(VariantsOf, WithDirectAllLevelsStayOnTheConsumer) {
  const auto found = variants("    direct: true\n    levels: [{group: all, wrapper: gather}]\n");
  EXPECT_GT(found.variants.size(), 3U);
  for (const auto& variant : found.variants)
    EXPECT_TRUE(runs_in_one_place(variant.tree.root)) << variant.words;
}

TEST_F(VariantsOf, AScopeWithAWrittenTreeIsRefused) {
  const auto file =
      with_scope("    tree: {name: all, on: consumer, wrapper: gather, sources: [{threads: \"*\"}]}\n");
  EXPECT_THAT(
      test::error_text<ConfigurationError>([&] { (void)scope_variants(file, require_plan(file), "s"); }),
      HasSubstr("scope s is written out node by node"));
}

TEST_F(VariantsOf, TheNewestEventsOfPathsNeedNoScope) {
  const auto file = with_scope("    shape: flat\n");
  EXPECT_EQ(sources_in(newest_events_of(file, "l*", false)).size(), 4U);
  EXPECT_TRUE(runs_in_one_place(newest_events_of(file, "log", true).root));
  EXPECT_THROW((void)newest_events_of(file, "steps", false), ConfigurationError);
  EXPECT_THROW((void)newest_events_of(file, "a\": {b", false), ConfigurationError);
}

TEST_F(VariantsOf, AnUnknownScopeIsRefused) {
  const auto file = with_scope("    shape: flat\n");
  EXPECT_THROW((void)scope_variants(file, require_plan(file), "t"), ConfigurationError);
}

}  // namespace
}  // namespace eventspace
