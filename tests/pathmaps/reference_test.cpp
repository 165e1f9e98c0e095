#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "pathmaps/generators/generators.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/reading/keys.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/pathmaps/expansion/scopes/tree_text.h"

// Checks docs/pathmap.md against the loader: its examples are loaded, and faults and trees are compared.

namespace eventspace {
namespace {

const std::string& reference() {
  static const std::string text = [] {
    std::stringstream stream;
    stream << std::ifstream(EVENTSPACE_REFERENCE_FILE).rdbuf();
    return stream.str();
  }();
  return text;
}

/// Returns the first fenced block of `language` after `heading`.
std::string block_after(const std::string& heading, const std::string& language) {
  const auto section = reference().find("## " + heading + "\n");
  const auto fence = reference().find("```" + language + "\n", section);
  if (section == std::string::npos || fence == std::string::npos) return "";
  const auto begin = fence + 4 + language.size();
  return reference().substr(begin, reference().find("```", begin) - begin);
}

const std::string worked_example = "A worked example";

/// Returns the worked example, with the scopes shown after `heading` added.
std::optional<Plan> plan_with_scopes_after(const std::string& heading) {
  const std::string key = "scopes:\n";
  std::string text = block_after(worked_example, "yaml");
  if (heading != worked_example) {
    const std::string scopes = block_after(heading, "yaml");
    EXPECT_TRUE(scopes.starts_with(key)) << scopes;
    text += scopes.substr(std::min(key.size(), scopes.size()));
  }
  auto result = parse_plan(text, "example.yaml");
  for (const auto& fault : result.faults) ADD_FAILURE() << to_string(fault);
  return std::move(result.plan);
}

void expect_the_tree_after(const std::string& heading, const std::string& of_scope) {
  const auto plan = plan_with_scopes_after(heading);
  ASSERT_TRUE(plan);
  const auto* const scope = plan->find_scope(of_scope);
  ASSERT_NE(scope, nullptr);
  EXPECT_EQ(tree_text(*plan, scope->root), block_after(heading, "text"));
}

TEST(Reference, ItsExampleHasNoFaultsAndTheTreeItShows) {
  expect_the_tree_after(worked_example, "heartbeat");
}

TEST(Reference, ItsOtherScopesLoadWithTheExample) {
  const auto plan = plan_with_scopes_after("scopes");
  ASSERT_TRUE(plan);
  EXPECT_NE(plan->find_scope("slow-receives"), nullptr);
}

TEST(Reference, ItsWrittenTreeGivesTheTreeItShows) {
  expect_the_tree_after("Trees that are written out", "two-halves");
}

TEST(Reference, ItsObservingScopeGivesTheTreeItShows) {
  expect_the_tree_after("Scopes that look at scopes", "watcher");
}

TEST(Reference, ItsFaultyExampleHasTheFaultsItShows) {
  const auto result = parse_plan(block_after("Faults", "yaml"), "ring.yaml");
  std::string report;
  for (const auto& fault : result.faults) report += to_string(fault) + "\n";
  EXPECT_EQ(report, block_after("Faults", "text"));
}

bool names(std::string_view key) {
  const auto quoted = "`" + std::string(key);
  return reference().find(quoted + "`") != std::string::npos ||
         reference().find(quoted + ": ") != std::string::npos;
}

TEST(Reference, NamesEveryKey) {
  for (const auto* shape : reading::all_shapes) {
    for (const auto& key : shape->keys) EXPECT_TRUE(names(key.name)) << key.name << " of " << shape->name;
  }
}

TEST(Reference, NamesEveryScopeWrapperAndItsParameters) {
  for (const auto& wrapper : ScopeWrapperRegistry::instance().entries()) {
    EXPECT_TRUE(names(wrapper.name)) << wrapper.name;
    for (const auto& spec : wrapper.parameters) {
      EXPECT_TRUE(names(spec.name)) << spec.name << " of " << wrapper.name;
      for (const auto& choice : spec.choices) EXPECT_TRUE(names(choice)) << choice << " for " << spec.name;
    }
  }
}

TEST(Reference, NamesEveryGeneratorAndItsParameters) {
  for (const auto* name : {"neighbour-exchange", "reduce-tree", "barrier"}) {
    EXPECT_TRUE(names(name)) << name;
    for (const auto& spec : GeneratorRegistry::instance().find(name)->all_parameters())
      EXPECT_TRUE(names(spec.name)) << spec.name << " of " << name;
  }
}

}  // namespace
}  // namespace eventspace
