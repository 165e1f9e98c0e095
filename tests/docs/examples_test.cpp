#include <gtest/gtest.h>

#include <filesystem>

#include "tests/docs/page.h"
#include "tests/monitors/workplace.h"

// The programs in examples/, with the pathmaps that a newcomer may give them.

namespace eventspace::docs {
namespace {

namespace fs = std::filesystem;
using testing_commands::Call;

struct Example {
  std::string program;  ///< its file
  bool by_argument;     ///< whether it takes the pathmap as an argument, or from the environment
};

const fs::path source{EVENTSPACE_SOURCE};

std::string beside_eventspace(const std::string& program) {
  return (fs::path(EVENTSPACE_PROGRAM).parent_path() / program).string();
}

class Examples : public testing_commands::Workplace {
 protected:
  Call call_with(const Example& example, const std::string& pathmap) {
    // "$0" is the program that start() believes to start.
    const std::string command = example.by_argument
                                    ? "exec '" + example.program + "' '" + pathmap + "'"
                                    : "EVENTSPACE_PATHMAP='" + pathmap + "' exec '" + example.program + "'";
    auto call = start({}, {"/bin/sh", "-c", command});
    call.status();
    return call;
  }
};

std::vector<Example> all_examples() {
  return {
      {GREETINGS_PROGRAM, true}, {beside_eventspace("ring"), false}, {beside_eventspace("workshop"), false}};
}

TEST_F(Examples, SayThatThePathmapIsMissing) {
  for (const Example& example : all_examples()) {
    auto call = call_with(example, "/nowhere/missing.yaml");
    EXPECT_EQ(call.status(), 2) << example.program;
    EXPECT_NE(call.err().find("no such file: '/nowhere/missing.yaml'"), std::string::npos) << call.err();
    EXPECT_EQ(call.out(), "");
  }
}

TEST_F(Examples, SayWhatIsWrongWithThePathmap) {
  const auto faulty = write("faulty.yaml", "pathmap: 1\nname: faulty\nclutser: {}\n").string();
  for (const Example& example : all_examples()) {
    auto call = call_with(example, faulty);
    EXPECT_EQ(call.status(), 2) << example.program;
    EXPECT_NE(call.err().find("faulty.yaml:3:1: error: unknown key 'clutser'"), std::string::npos)
        << call.err();
  }
}

TEST_F(Examples, SayThatThePathmapIsOfAnotherApplication) {
  const std::string other = (source / "examples/extending/plugin/../../workshop/workshop.yaml").string();
  const std::string ring = (source / "examples/ring/ring.yaml").string();
  for (const Example& example : all_examples()) {
    auto call = call_with(example, example.program.ends_with("workshop") ? ring : other);
    EXPECT_EQ(call.status(), 2) << example.program << call.err();
    EXPECT_NE(call.err(), "");
  }
}

TEST_F(Examples, TheRingPassesItsNumbersAroundAndLosesNone) {
  const auto pathmap = (source / "examples/ring/ring.yaml").string();
  start_servers_of(pathmap);
  auto run = call({"run", pathmap, "--", beside_eventspace("ring"), "--rounds", "100"});
  EXPECT_EQ(run.status(), 0) << run.err();
  EXPECT_EQ(run.out(), "6 threads, 100 rounds: the reports add up to 1500\n");
}

}  // namespace
}  // namespace eventspace::docs
