#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/house/source_tree.h"

// docs/stability.md has a table of the versions of all formats.

namespace eventspace::house {
namespace {

const std::vector<std::string> folders_with_formats{"tuplespace", "paths",    "collectors",
                                                    "scopes",     "pathmaps", "monitors"};

std::string text_of_file(const std::string& path) {
  std::ifstream in(SOURCE_DIR "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "NAME in PATH = VERSION" for each row of the table.
std::set<std::string> documented() {
  const std::string text = text_of_file("docs/stability.md");
  const std::regex row(R"(\| (\d+) \| `(\w+)` in `([\w./]+)` \|)");
  std::set<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), row), end; i != end; ++i)
    found.insert((*i)[2].str() + " in " + (*i)[3].str() + " = " + (*i)[1].str());
  return found;
}

/// The same for each constant with the name of a version.
std::set<std::string> defined() {
  const std::regex constant(
      R"re((?:constexpr [\w:]+ (\w*version)|pragma (user_version)) ?[={] ?"?(?:request )?(\d+)[";}])re");
  std::set<std::string> found;
  for (const SourceFile& source : read_sources(SOURCE_DIR, folders_with_formats)) {
    const std::string text = text_of_file(source.path);
    for (std::sregex_iterator i(text.begin(), text.end(), constant), end; i != end; ++i)
      found.insert((*i)[1].str() + (*i)[2].str() + " in " + source.path + " = " + (*i)[3].str());
  }
  std::smatch abi;
  const std::string header = text_of_file("include/eventspace.h");
  if (std::regex_search(header, abi, std::regex(R"(#define ES_ABI_VERSION (\d+))")))
    found.insert("ES_ABI_VERSION in include/eventspace.h = " + abi[1].str());
  return found;
}

TEST(StabilityDocTest, TheTableHasTheVersionOfEachFormat) { EXPECT_EQ(documented(), defined()); }

}  // namespace
}  // namespace eventspace::house
