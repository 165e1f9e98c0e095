#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

// docs/commands.md has a list of all variables of the environment that the programs and libraries read or
// set.

namespace eventspace::house {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;
using Names = std::set<std::string>;

void add_matches(const std::string& text, const std::regex& pattern, Names& names) {
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) names.insert((*i)[1]);
}

// What is handed to getenv(3) and to functions around it, and each text that can only be a name of a
// variable.
Names variables_in(const std::string& code) {
  static const std::regex read(R"((?:getenv|environment|variable|envname)\(\s*"([A-Z_]+)\")");
  static const std::regex named(R"re("(EVENTSPACE_[A-Z_]+|LD_PRELOAD|[A-Z_]+_RANK)")re");
  Names names;
  add_matches(code, read, names);
  add_matches(code, named, names);
  return names;
}

Names variables_of_the_code() {
  Names names;
  for (const char* folder :
       {"include", "tuplespace", "paths", "collectors", "scopes", "pathmaps", "monitors", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h" && extension != ".c") continue;
      std::ifstream in(entry.path());
      names.merge(variables_in({std::istreambuf_iterator<char>(in), {}}));
    }
  }
  return names;
}

// The names before the colons of the list below "Variables of the environment:".
Names variables_of_the_list() {
  std::ifstream in(SOURCE_DIR "/docs/commands.md");
  Names names;
  std::string line;
  while (std::getline(in, line) && line != "Variables of the environment:") {
  }
  std::getline(in, line);
  static const std::regex name("`([A-Z_]+)`");
  for (bool is_meaning = false; std::getline(in, line) && !line.empty();) {
    if (line.starts_with("- ")) is_meaning = false;
    if (is_meaning) continue;
    const auto colon = line.find("`: ");
    add_matches(line.substr(0, colon == std::string::npos ? colon : colon + 1), name, names);
    is_meaning = colon != std::string::npos;
  }
  return names;
}

TEST(EnvironmentList, HasAllVariablesOfTheCodeAndNoOther) {
  EXPECT_THAT(variables_of_the_list(), ContainerEq(variables_of_the_code()));
}

TEST(EnvironmentList, NamesAreFoundInCode) {
  EXPECT_EQ(variables_in(R"(x = std::getenv("TERM"); set({"EVENTSPACE_A", "OTHER"});)"),
            (Names{"TERM", "EVENTSPACE_A"}));
}

}  // namespace
}  // namespace eventspace::house
