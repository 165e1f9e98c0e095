#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

// docs/security.md names a test for each of its claims.

namespace eventspace::house {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// All matches of the first group, or of the first two as "A.B".
std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    found.push_back((*i)[1].str() + "." + (*i)[2].str());
  return found;
}

/// "Suite.Test" of all tests in C++ below tests/; of parameterised ones too.
std::vector<std::string> tests() {
  std::vector<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(SOURCE_DIR "/tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const auto found = matches(content_of(entry.path()), R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

/// `pattern` may have '*' for any text, and '/' before the parameters of a test.
bool names_one_of(const std::string& pattern, const std::vector<std::string>& all) {
  std::string regex;
  for (const char c : pattern.substr(0, pattern.find('/')))
    regex += c == '*' ? ".*" : c == '.' ? "\\." : std::string(1, c);
  const std::regex wanted(regex);
  return std::ranges::any_of(all, [&](const std::string& name) { return std::regex_match(name, wanted); });
}

TEST(SecurityDocTest, EachTestThatItNamesExists) {
  const auto all = tests();
  const auto named = matches(content_of(SOURCE_DIR "/docs/security.md"), R"(`([A-Z]\w+)\.([\w*/]+)`)");
  EXPECT_GT(named.size(), 30u);
  for (const std::string& name : named) EXPECT_TRUE(names_one_of(name, all)) << name;
}

TEST(SecurityDocTest, ATestThatIsNotThereIsNoticed) {
  EXPECT_TRUE(names_one_of("A.B*", {"A.BC"}));
  EXPECT_FALSE(names_one_of("A.B", {"A.BC"}));
  EXPECT_FALSE(names_one_of("A.*", {"B.A"}));
}

}  // namespace
}  // namespace eventspace::house
