#include "tests/monitors/workplace.h"

#include <nlohmann/json.hpp>

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CheckCommand : public testing_commands::Workplace {
 protected:
  /// `eventspace ARGUMENTS...` with a file as its standard input.
  testing_commands::Call call_with_input(const std::filesystem::path& input,
                                         const std::vector<std::string>& arguments) {
    auto call = start(arguments, {"sh", "-c", "exec \"$@\" < \"$0\"", input.string()});
    call.status();
    return call;
  }
};

TEST_F(CheckCommand, AFinePathmapIsOneLine) {
  auto call = this->call({"check", tiny()});
  EXPECT_EQ(call.status(), 0) << call.err();
  EXPECT_EQ(call.out(),
            "tiny: fine; 2 nodes, 2 processes, 2 threads, 2 elements, 2 paths, 2 trace elements, 1 scope\n");
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

TEST_F(CheckCommand, ADashIsThePathmapOnStandardInput) {
  auto fine = call_with_input(tiny(), {"check", "-"});
  EXPECT_EQ(fine.status(), 0) << fine.err();
  EXPECT_THAT(fine.out(), StartsWith("tiny: fine; 2 nodes, "));
  auto drawn = call_with_input(tiny(), {"draw", "-"});
  EXPECT_THAT(drawn.out(), StartsWith("digraph \"paths of tiny\""));
  auto faulty = call_with_input(write("faulty.yaml", "pathmap: 1\nname: x\nwrong: 3\n"), {"check", "-"});
  EXPECT_EQ(faulty.status(), 2);
  EXPECT_THAT(faulty.err(), HasSubstr("<stdin>:3:1: error: "));
}

TEST_F(CheckCommand, StandardInputThatIsNotAPathmapIsAFaultAndReadWithALimit) {
  auto endless = call_with_input("/dev/zero", {"check", "-"});
  EXPECT_EQ(endless.status(), 2);
  EXPECT_THAT(endless.err(), HasSubstr("<stdin>: error: too large: 1048577 bytes"));
  auto nothing = call_with_input("/dev/null", {"check", "-"});
  EXPECT_EQ(nothing.status(), 2);
  EXPECT_THAT(nothing.err(), HasSubstr("<stdin>:1:1: error: "));
}

TEST_F(CheckCommand, CommandsThatHandThePathmapOnNeedAFile) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"up", "-"}, {"run", "-", "--", "true"}, {"serve", "-", "--node", "n1"}}) {
    auto call = call_with_input(tiny(), arguments);
    EXPECT_EQ(call.status(), 2);
    EXPECT_THAT(call.err(), HasSubstr("the pathmap `-` is standard input; expected a file")) << arguments[0];
  }
}

TEST_F(CheckCommand, FaultsOfAPartOfAPathmapNameThePathmapsThatIncludeIt) {
  const auto part = write("part.yaml", "pathmap: 1\nname: x\napplication: {threads: [a]}\n");
  write("whole.yaml", "pathmap: 1\ninclude: part.yaml\n");
  write("other.yaml", "pathmap: 1\ninclude: [counterpart.yaml, 'apart.yaml']\n");
  auto call = this->call({"check", part});
  EXPECT_EQ(call.status(), 2);
  EXPECT_THAT(call.err(), HasSubstr("'\nnote: part.yaml is only a part of other pathmaps (whole.yaml); "
                                    "name one of them instead\n"));
  auto whole = this->call({"check", file("whole.yaml")});
  EXPECT_THAT(whole.err(), testing::Not(HasSubstr("note: ")));
}

TEST_F(CheckCommand, FaultsAreObjectsInJson) {
  auto call = this->call({"check", write("faulty.yaml", "pathmap: 1\nwrong: 3\n"), "--format", "json"});
  EXPECT_EQ(call.status(), 2);
  const auto first = nlohmann::json::parse(call.out().substr(0, call.out().find('\n')));
  EXPECT_TRUE(first.contains("file") && first.contains("line") && first.contains("column") &&
              first.contains("error"));
}

TEST_F(CheckCommand, AMissingFileIsAConfigurationError) {
  auto call = this->call({"check", file("nowhere.yaml")});
  EXPECT_EQ(call.status(), 2);
  EXPECT_THAT(call.err(), HasSubstr("nowhere.yaml"));
}

TEST_F(CheckCommand, WrongUsageIsStatus2WithAHint) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"nonsense"}, {"check"}, {"check", "x", "--format", "xml"}}) {
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
