#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/monitors/cli/json_page.h"

// docs/json.md names each member that a command may write. bad_input_test.cpp checks the members that runs
// really write; this test checks all members in the sources.

namespace eventspace {
namespace {

using testing_commands::JsonPage;

TEST(JsonPage, KnowsTheMembersOfASection) {
  const JsonPage page("# Title\n## a\n| `x`, `y` | text with `z` |\n## b\n`w`\n");
  EXPECT_TRUE(page.has("a", "x"));
  EXPECT_TRUE(page.has("a", "z"));
  EXPECT_FALSE(page.has("a", "w"));
  EXPECT_TRUE(page.has_section("b"));
  EXPECT_FALSE(page.has_section("c"));
}

std::set<std::string> found_by(const std::regex& pattern, const std::string& text) {
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), pattern), end; found != end; ++found)
    names.insert((*found)[1]);
  return names;
}

// The names of members in a source: in lists of pairs, in calls of set(), and as columns of a table.
std::set<std::string> members_in(const std::string& source) {
  std::set<std::string> names = found_by(std::regex(R"re(\.set\("([a-z0-9_]+)")re"), source);
  names.merge(found_by(std::regex(R"re([^n] \{"([a-z0-9_]+)", )re"), source));  // not `return {"name", ...}`
  names.merge(found_by(std::regex(R"re([({]\{"([a-z0-9_]+)", )re"), source));
  const std::regex table(R"re(ResultTable \w+\(\s*(\{[^}]*\}))re");
  for (const std::string& columns : found_by(table, source))
    names.merge(found_by(std::regex(R"re("([a-z0-9_]+)")re"), columns));
  return names;
}

TEST(JsonPage, NamesEachMemberThatTheSourcesCanWrite) {
  const JsonPage page = JsonPage::of_docs();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SOURCE_DIR "/monitors")) {
    const std::string source = testing_commands::text_of(entry.path());
    const bool writes =
        source.find("Json::object") != std::string::npos || source.find("ResultTable ") != std::string::npos;
    if (entry.path().extension() != ".cpp" || !writes) continue;
    ++files;
    for (const std::string& name : members_in(source)) {
      EXPECT_TRUE(page.has_anywhere(name)) << name << " of " << entry.path() << " is not in docs/json.md";
    }
  }
  EXPECT_GE(files, 8U);
}

}  // namespace
}  // namespace eventspace
