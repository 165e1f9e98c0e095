#include "tests/house/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace eventspace::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Targets& targets() {
  static const Targets read = read_targets(TARGETS_FILE);
  return read;
}

const std::vector<SourceFile>& files() {
  static const std::vector<SourceFile> read =
      read_sources(SOURCE_DIR, {"tuplespace", "paths", "collectors", "scopes", "pathmaps", "monitors"});
  return read;
}

TEST(Targets, NameAllTargetsFromWhichTheyInclude) { EXPECT_THAT(wrong_uses(files(), targets()), IsEmpty()); }

TEST(Targets, UseEachOtherInOneDirection) {
  for (const auto& [name, target] : targets()) EXPECT_FALSE(used_by(name, targets()).contains(name)) << name;
}

// Programs of users and eventspace-simgrid link with engines alone.
TEST(Targets, EnginesDoNotKnowTheCommandLine) {
  const auto owner_of = owners(files(), targets());
  for (const std::string engine : {"probing", "whatif"}) {
    std::set<std::string> linked = used_by(engine, targets());
    linked.insert(engine);
    EXPECT_FALSE(linked.contains("monitors/cli")) << engine;
    for (const std::string& name : linked) EXPECT_THAT(targets().at(name).commands, IsEmpty()) << name;
    for (const SourceFile& file : files()) {
      if (const auto owner = owner_of.find(file.path); owner == owner_of.end() || owner->second != engine)
        continue;
      for (const std::string& include : file.other_includes)
        EXPECT_FALSE(include.starts_with("CLI/")) << file.path;
    }
  }
}

// The functions in the form of MakeCommand that a file defines.
std::set<std::string> commands_of(const SourceFile& source) {
  std::set<std::string> commands;
  std::ifstream file(std::filesystem::path(SOURCE_DIR) / source.path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find("(const CommandContext&");
    if (line.starts_with("Command ") && end != std::string::npos)
      commands.insert(line.substr(sizeof("Command ") - 1, end - (sizeof("Command ") - 1)));
  }
  return commands;
}

TEST(Targets, EachCommandIsRegisteredInItsFolder) {
  const auto owner_of = owners(files(), targets());
  std::map<std::string, std::set<std::string>> defined;
  for (const SourceFile& file : files()) {
    if (const auto owner = owner_of.find(file.path); owner != owner_of.end() && !file.is_header())
      defined[owner->second].merge(commands_of(file));
  }
  for (const auto& [name, target] : targets()) EXPECT_EQ(target.commands, defined[name]) << name;
}

// --- and that these tests would notice -----------------------------------------------------------------

SourceFile source_file(std::string path, std::vector<std::string> includes) {
  return {std::move(path), std::move(includes)};
}

TEST(WrongUses, AreIncludesFromATargetThatIsNotNamed) {
  const Targets two{{"s/a", {"s/a", {"s/a/one.cpp"}}}, {"s/b", {"s/b", {"s/b/two.cpp"}}}};
  EXPECT_THAT(wrong_uses({source_file("s/a/one.cpp", {"s/b/two.h"}), source_file("s/b/two.cpp", {}),
                          source_file("s/b/two.h", {})},
                         two),
              ElementsAre("s/a/one.cpp includes s/b/two.h, but s/a does not use s/b"));
}

TEST(WrongUses, AreNamesOfTargetsWithoutAnInclude) {
  const Targets two{{"s/a", {"s/a", {"s/a/one.cpp"}, {"s/b"}}}, {"s/b", {"s/b", {"s/b/two.cpp"}}}};
  EXPECT_THAT(wrong_uses({source_file("s/a/one.cpp", {}), source_file("s/b/two.cpp", {})}, two),
              ElementsAre("s/a includes nothing from s/b"));
}

TEST(WrongUses, AreNotIncludesFromASecondTargetOfAFolderThatIsNamed) {
  const Targets three{{"s/a", {"s/a", {"s/a/one.cpp"}, {"s/b"}}},
                      {"s/b", {"s/b", {"s/b/two.cpp"}, {"s/b/words"}}},
                      {"s/b/words", {"s/b/words", {"s/b/word.cpp"}}}};
  EXPECT_THAT(wrong_uses({source_file("s/a/one.cpp", {"s/b/two.h", "s/b/word.h"}),
                          source_file("s/b/two.cpp", {"s/b/word.h"}), source_file("s/b/two.h", {}),
                          source_file("s/b/word.h", {})},
                         three),
              IsEmpty());
}

TEST(Owners, OfAHeaderWithoutASourceIsTheLowestTargetThatIncludesIt) {
  const Targets two{{"engine", {"engine", {"s/a/one.cpp"}}}, {"s/a", {"s/a", {"s/a/two.cpp"}, {"engine"}}}};
  const auto owner_of =
      owners({source_file("s/a/one.cpp", {"s/a/low.h"}), source_file("s/a/two.cpp", {"s/a/high.h"}),
              source_file("s/a/low.h", {}), source_file("s/a/high.h", {})},
             two);
  EXPECT_EQ(owner_of.at("s/a/low.h"), "engine");
  EXPECT_EQ(owner_of.at("s/a/high.h"), "s/a");
}

}  // namespace
}  // namespace eventspace::house
