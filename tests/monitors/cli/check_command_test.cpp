#include "tests/monitors/workplace.h"

#include <nlohmann/json.hpp>

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CheckCommand : public testing_commands::Workplace {};

TEST_F(CheckCommand, AFinePathmapIsOneLine) {
  auto call = this->call({"check", tiny()});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_EQ(call.out(),
            "tiny: fine; 2 nodes, 2 processes, 2 threads, 2 elements, 2 paths, 2 trace elements, 1 scopes\n");
  EXPECT_EQ(call.err(), "");
}

TEST_F(CheckCommand, EveryFaultHasItsPlace) {
  const auto faulty = write("faulty.yaml", "pathmap: 1\nname: x\ncluster: {}\nwrong: 3\n");
  auto call = this->call({"check", faulty});
  EXPECT_EQ(call.status(), 2);
  EXPECT_EQ(call.out(), "");
  EXPECT_THAT(call.err(), HasSubstr(faulty.string() + ":4:1: error: "));
  EXPECT_THAT(call.err(), HasSubstr("\neventspace: "));
}

TEST_F(CheckCommand, FaultsAreObjectsInJson) {
  auto call = this->call({"check", write("faulty.yaml", "pathmap: 1\nwrong: 3\n"), "--format", "json"});
  EXPECT_EQ(call.status(), 2);
  const auto first = nlohmann::json::parse(call.out().substr(0, call.out().find('\n')));
  EXPECT_TRUE(first.contains("file") && first.contains("line") && first.contains("column") &&
              first.contains("error"));
}

TEST_F(CheckCommand, AFileThatIsNotThereIsAConfigurationError) {
  auto call = this->call({"check", file("nowhere.yaml")});
  EXPECT_EQ(call.status(), 2);
  EXPECT_THAT(call.err(), HasSubstr("nowhere.yaml"));
}

TEST_F(CheckCommand, WrongUsageIsStatus2AndSaysWhereToLook) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"nonsense"}, {"check"}, {"check", "x", "--format", "xml"}}) {
    auto call = this->call(arguments);
    EXPECT_EQ(call.status(), 2);
    EXPECT_THAT(call.err(), StartsWith("eventspace: "));
    EXPECT_THAT(call.err(), HasSubstr("--help"));
  }
}

TEST_F(CheckCommand, HelpAndVersionAreFine) {
  auto version = call({"--version"});
  EXPECT_EQ(version.status(), 0);
  EXPECT_THAT(version.out(), StartsWith("eventspace 0."));
  for (const char* command : {"check", "draw", "up", "down", "serve", "run", "segments", "switch"}) {
    auto help = call({command, "--help"});
    EXPECT_EQ(help.status(), 0) << command;
    EXPECT_THAT(help.out(), HasSubstr("PATHMAP")) << command;
  }
}

}  // namespace
}  // namespace eventspace
