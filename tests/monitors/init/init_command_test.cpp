#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/monitors/workplace.h"

namespace eventspace {
namespace {

using testing::HasSubstr;

class InitCommand : public testing_commands::Workplace {
 protected:
  /// The summary of `check`, which must accept the pathmap.
  std::string checked(const std::filesystem::path& pathmap) {
    auto check = call({"check", pathmap});
    EXPECT_EQ(check.status(), 0) << check.err();
    return check.out();
  }
};

TEST_F(InitCommand, WritesAValidPathmap) {
  auto init = call({"init", file("solver.yaml")});
  EXPECT_EQ(init.status(), 0) << init.err();
  EXPECT_THAT(init.out(), HasSubstr("solver.yaml: 1 node, 1 process, "));
  EXPECT_THAT(checked(file("solver.yaml")), HasSubstr("solver: fine; "));
  EXPECT_THAT(testing_commands::read_text(file("solver.yaml")), HasSubstr("#     eventspace up "));
}

TEST_F(InitCommand, HasTheRequestedNumberOfProcessesAndThreads) {
  EXPECT_EQ(call({"init", file("app.yaml"), "--processes", "4", "--threads", "2"}).status(), 0);
  EXPECT_THAT(checked(file("app.yaml")), HasSubstr("4 processes, 8 threads"));
}

TEST_F(InitCommand, HasANodeForEachHostOfAFile) {
  const auto hosts = write("hosts", "c1 slots=2\nc2\n");
  EXPECT_EQ(call({"init", file("slots.yaml"), "--hosts", hosts}).status(), 0);
  EXPECT_THAT(checked(file("slots.yaml")), HasSubstr("2 nodes, 3 processes, 3 threads"));
  EXPECT_EQ(call({"init", file("six.yaml"), "--hosts", hosts, "--processes", "6"}).status(), 0);
  EXPECT_THAT(checked(file("six.yaml")), HasSubstr("2 nodes, 6 processes, 6 threads"));
}

TEST_F(InitCommand, OverwritesNothing) {
  const auto mine = write("mine.yaml", "my own work\n");
  auto init = call({"init", mine});
  EXPECT_EQ(init.status(), 2);
  EXPECT_THAT(init.err(), HasSubstr("mine.yaml' already exists"));
  EXPECT_EQ(testing_commands::read_text(mine), "my own work\n");
}

TEST_F(InitCommand, WritesNothingWhenSomethingIsWrong) {
  const auto hosts = write("hosts", "c1\nc2 cpus=2\n");
  EXPECT_THAT(call({"init", file("a.yaml"), "--hosts", hosts}).err(), HasSubstr("hosts:2: found 'cpus=2'"));
  EXPECT_THAT(call({"init", file("a.yaml"), "--hosts", file("none")}).err(),
              HasSubstr("none' does not exist"));
  EXPECT_THAT(call({"init", file("a.yaml"), "--hosts", write("one", "c1\nc2\n"), "--processes", "1"}).err(),
              HasSubstr("found --processes 1; expected at least one for each of the 2 hosts"));
  EXPECT_THAT(call({"init", file("a.yaml"), "--processes", "0"}).err(), HasSubstr("--processes"));
  EXPECT_THAT(call({"init", file("a.yaml"), "--processes", "5000", "--threads", "3"}).err(),
              HasSubstr("at most 10000 threads"));
  EXPECT_THAT(call({"init", file("my app.yaml")}).err(), HasSubstr("the pathmap was not written"));
  EXPECT_FALSE(std::filesystem::exists(file("a.yaml")));
  EXPECT_FALSE(std::filesystem::exists(file("my app.yaml")));
}

TEST_F(InitCommand, AMissingDirectoryIsReported) {
  auto init = call({"init", file("nowhere") / "a.yaml"});
  EXPECT_EQ(init.status(), 3);
  EXPECT_THAT(init.err(), HasSubstr("cannot make '"));
}

TEST_F(InitCommand, WritesToStandardOutputOnRequest) {
  auto init = call({"init", "-", "--processes", "2", "--threads", "1", "--", "./solver", "--fast"});
  EXPECT_EQ(init.status(), 0);
  EXPECT_THAT(init.out(), HasSubstr("\n  command: [\"./solver\", \"--fast\"]\n"));
  EXPECT_THAT(checked(write("out.yaml", init.out())), HasSubstr("2 processes, 2 threads"));
}

TEST_F(InitCommand, ItsPathmapRuns) {
  const auto pathmap = file("app.yaml");
  EXPECT_EQ(call({"init", pathmap, "--processes", "2", "--threads", "1"}).status(), 0);
  start_servers_of(pathmap);
  auto run = call({"run", pathmap, "--", "sh", "-c", "echo $EVENTSPACE_PROCESS"});
  EXPECT_EQ(run.status(), 0) << run.err();
  EXPECT_THAT(run.out(), HasSubstr("p0\n"));
  EXPECT_THAT(run.out(), HasSubstr("p1\n"));
}

}  // namespace
}  // namespace eventspace
