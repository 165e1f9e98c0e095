#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <eventspace/error.h>
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/named_groups.h"
#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/work/group_work.h"
#include "tests/monitors/probing/target.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"
#include "tuplespace/system/session_files.h"

// `eventspace group` with processes of this machine.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_probing::eventually;
using testing_probing::state_of;
using testing_probing::Target;
using testing_probing::text_of;

class GroupCommandLine : public testing::Test {
 protected:
  ~GroupCommandLine() override {
    for (const std::string& name : {both_, two_, one_}) {
      try {
        (void)NamedGroups::remove(name);
      } catch (const Error&) {
      }
    }
  }
  GroupCommandLine() = default;
  GroupCommandLine(const GroupCommandLine&) = delete;
  GroupCommandLine& operator=(const GroupCommandLine&) = delete;

  static std::string output_of(std::vector<std::string> words, int status = 0) {
    const fs::path out = fs::temp_directory_path() / ("eventspace-group-" + std::to_string(::getpid()));
    words.insert(words.begin(), EVENTSPACE_PROGRAM);
    Target tool(words, out);
    EXPECT_EQ(tool.process().wait().status, status) << words[1] << ": " << text_of(out);
    const std::string text = text_of(out);
    fs::remove(out);
    return text;
  }
  static std::string pid_of(const Target& target) { return std::to_string(target.pid()); }

  const std::string mark_ = std::to_string(::getpid());
  const std::string one_ = "one-" + mark_, two_ = "two-" + mark_, both_ = "both-" + mark_;
};

TEST_F(GroupCommandLine, GivesProcessesANameThatOtherCommandsTake) {
  const Target first({"env", "PART=" + mark_, "sleep", "600"});
  const Target second({"env", "PART=" + mark_, "PMI_RANK=1", "sleep", "600"});
  ASSERT_TRUE(eventually([&] {
    return members_here({.where = "name == 'sleep' and env_PART == '" + mark_ + "'"}, {}).size() == 2;
  }));
  EXPECT_THAT(output_of({"group", two_, "--name", "sleep", "--where", "env_PART == '" + mark_ + "'"}),
              HasSubstr("2 processes on this machine now"));
  EXPECT_THAT(output_of({"group", one_, "--where", "env_PART == '" + mark_ + "' and rank == 1"}),
              HasSubstr("1 process on this machine now"));
  EXPECT_THAT(output_of({"group", both_, "--group", two_, "--without", one_}), HasSubstr("1 process"));
  EXPECT_THAT(chosen_processes({.groups = {both_}}), ElementsAre(first.pid()));
  EXPECT_THAT(chosen_processes({.groups = {one_}}), ElementsAre(second.pid()));
  EXPECT_THAT(output_of({"group"}), HasSubstr("--group " + two_ + " --without " + one_));
  const std::string members = output_of({"group", two_, "--format", "csv"});
  EXPECT_THAT(members, HasSubstr("," + pid_of(first) + ",sleep,"));
  EXPECT_THAT(members, HasSubstr("," + pid_of(second) + ",sleep,1"));
  EXPECT_THAT(output_of({"functions", "--group", one_, "--summary"}), HasSubstr("sleep"));
}

TEST_F(GroupCommandLine, ListsProcessesWhereSegmentsCannotBeSearched) {
  const Target target({"env", "PART=" + mark_, "EVENTSPACE_SESSION=melt", "sleep", "600"});
  const ProcessChoice choice{.where = "name == 'sleep' and env_PART == '" + mark_ + "'"};
  ASSERT_TRUE(eventually([&] { return members_here(choice, {}).size() == 1; }));
  const test::TemporaryDirectory directory;
  fs::permissions(directory.path(), fs::perms::all);  // each user may remove files in it
  const test::Variable place("EVENTSPACE_SHM_DIR", directory.path().string());
  ASSERT_THROW((void)segment_directory(), EnvironmentError);
  const GroupAnswer answer = GroupWorkHere().carry_out({.choice = choice});
  ASSERT_EQ(answer.members.size(), 1U);
  EXPECT_EQ(answer.members[0].session, "melt") << "as its environment says";
}

TEST_F(GroupCommandLine, StopsAGroupAndContinuesIt) {
  Target target({"env", "PART=" + mark_, "sleep", "600"});
  NamedGroups::store(one_, {.where = "env_PART == '" + mark_ + "'"});
  ASSERT_TRUE(eventually([&] { return members_here({.groups = {one_}}, NamedGroups::all()).size() == 1; }));
  EXPECT_THAT(output_of({"group", one_, "--stop"}), HasSubstr("1 of 1 process stopped"));
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'T'; }));
  EXPECT_THAT(output_of({"group", one_, "--continue"}), HasSubstr("1 of 1 process continued"));
  EXPECT_TRUE(eventually([&] { return state_of(target.pid()) == 'S'; }));
  EXPECT_THAT(output_of({"group", one_, "--switch", "off"}, 3), HasSubstr("it does not record in a session"));
  target.process().signal(SIGKILL);
  target.process().wait();
  EXPECT_THAT(output_of({"group", one_}, 3), HasSubstr("has no process on this machine now"));
  EXPECT_THAT(output_of({"group", one_, "--stop"}, 3), HasSubstr("0 of 0"));
  EXPECT_THAT(output_of({"probe", "main", "--group", one_}, 3),
              HasSubstr("no process on this machine matches group=" + one_));
}

#ifdef EVENTSPACE_HAS_ZYDIS
TEST_F(GroupCommandLine, IsFollowedWhileItIsInUse) {
  const auto has_probes = [](const Target& target) {
    return !areas_in(ProcessMemory(target.pid()), mapped_ranges(target.pid())).empty();
  };
  const std::string mine = "name == 'hot_app' and env_PART == '" + mark_ + "'";
  NamedGroups::store(one_, {.where = mine});
  const Target first({"env", "PART=" + mark_, HOT_APP}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return members_here({.where = mine}, {}).size() == 1; }));
  const fs::path out = fs::temp_directory_path() / ("eventspace-followed-" + mark_);
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_real", "--group", one_, "--format", "csv"}, out);
  ASSERT_TRUE(eventually([&] { return has_probes(first); })) << text_of(out);
  const Target second({"env", "PART=" + mark_, "PMI_RANK=1", HOT_APP}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return members_here({.where = mine}, {}).size() == 2; }));
  EXPECT_TRUE(eventually([&] { return has_probes(second); })) << "it has joined";
  NamedGroups::store(one_, {.where = mine + " and rank == 1"});
  EXPECT_TRUE(eventually([&] { return !has_probes(first); })) << "it has left";
  EXPECT_TRUE(has_probes(second));
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 0) << text_of(out);
  EXPECT_THAT(text_of(out),
              AllOf(HasSubstr("\n" + pid_of(first) + ","), HasSubstr("\n" + pid_of(second) + ",")));
  EXPECT_FALSE(has_probes(second));
  fs::remove(out);
}

// As with a group of the processes for which an alert holds, which may hold again.
TEST_F(GroupCommandLine, GivesProbesAgainToAProcessThatComesBackAndLosesNothing) {
  const auto has_probes = [](const Target& target) {
    return !areas_in(ProcessMemory(target.pid()), mapped_ranges(target.pid())).empty();
  };
  const std::string mine = "name == 'hot_app' and env_PART == '" + mark_ + "'";
  NamedGroups::store(one_, {.where = mine});
  const Target target({"env", "PART=" + mark_, HOT_APP}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return members_here({.where = mine}, {}).size() == 1; }));
  const test::TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_real", "--group", one_, "--format", "csv"}, out);
  ASSERT_TRUE(eventually([&] { return has_probes(target); })) << text_of(out);
  NamedGroups::store(one_, {.where = mine + " and rank == 7"});
  ASSERT_TRUE(eventually([&] { return !has_probes(target); })) << "it has left, and the group is empty";
  NamedGroups::store(one_, {.where = mine});
  EXPECT_TRUE(eventually([&] { return has_probes(target); })) << "it has come back: " << text_of(out);
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 0) << text_of(out);
  const std::string text = text_of(out);
  const std::string row = "\n" + pid_of(target) + ",";
  const std::size_t first = text.find(row);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find(row, first + 1), std::string::npos) << "a row for each time: " << text;
  EXPECT_NE(text[first + row.size()], '0') << "what it had counted when it left is there: " << text;
  EXPECT_FALSE(has_probes(target));
}

// The file of the groups is a FIFO: opening it succeeds when the tool looks the group up, and damaged content
// is then written.
TEST_F(GroupCommandLine, KeepsItsProbesWhileItsDefinitionCannotBeEvaluated) {
  const test::TemporaryDirectory directory;
  const std::string runtime = "XDG_RUNTIME_DIR=" + directory.path().string();
  const fs::path stored = directory.path() / "eventspace" / "processes.of.user";
  const fs::path aside = directory.path() / "aside";
  const fs::path out = directory.path() / "out";
  const std::string mine = "name == 'hot_app' and env_PART == '" + mark_ + "'";
  const auto areas_of = [](const Target& target) {
    std::vector<std::uint64_t> inodes;
    for (const ProbeArea& area : areas_in(ProcessMemory(target.pid()), mapped_ranges(target.pid())))
      inodes.push_back(area.inode);
    return inodes;
  };
  Target group({"env", runtime, EVENTSPACE_PROGRAM, "group", one_, "--where", mine}, out);
  ASSERT_TRUE(group.process().wait().is_fine()) << text_of(out);
  ASSERT_TRUE(fs::exists(stored));
  const Target first({"env", "PART=" + mark_, HOT_APP}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return members_here({.where = mine}, {}).size() == 1; }));
  Target tool({"env", runtime, EVENTSPACE_PROGRAM, "probe", "hot_real", "--group", one_}, out);
  ASSERT_TRUE(eventually([&] { return areas_of(first).size() == 1; })) << text_of(out);
  const auto before = areas_of(first);
  fs::copy_file(stored, aside);
  const fs::path pipe = directory.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::rename(pipe, stored);
  int damaged = -1;
  ASSERT_TRUE(eventually([&] {
    damaged = ::open(stored.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return damaged >= 0;
  })) << "it looks the group up every two seconds";
  fs::rename(aside, stored);  // for the next time
  EXPECT_EQ(::write(damaged, "broken\n", 7), 7);
  ::close(damaged);
  const Target second({"env", "PART=" + mark_, HOT_APP}, "/dev/null");
  EXPECT_TRUE(eventually([&] { return areas_of(second).size() == 1; })) << "it has been looked up again";
  EXPECT_EQ(areas_of(first), before) << "they were not taken out in between";
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 0) << text_of(out);
}

// A process that cannot have a probe joins the group while the tool follows it.
TEST_F(GroupCommandLine, HasAProcessThatIsRefusedForAMoment) {
  const auto has_probes = [](const Target& target) {
    return !areas_in(ProcessMemory(target.pid()), mapped_ranges(target.pid())).empty();
  };
  const std::string mine = "(name == 'hot_app' or name == 'sleep') and env_PART == '" + mark_ + "'";
  NamedGroups::store(one_, {.where = mine});
  const Target first({"env", "PART=" + mark_, HOT_APP}, "/dev/null");
  ASSERT_TRUE(eventually([&] { return members_here({.where = mine}, {}).size() == 1; }));
  const test::TemporaryDirectory directory;
  const fs::path out = directory.path() / "out";
  Target tool({EVENTSPACE_PROGRAM, "probe", "hot_real", "--group", one_, "--format", "csv"}, out);
  ASSERT_TRUE(eventually([&] { return has_probes(first); })) << text_of(out);
  const Target refused({"env", "PART=" + mark_, "sleep", "600"});
  const Target second({"env", "PART=" + mark_, HOT_APP}, "/dev/null");
  if (second.pid() < refused.pid()) GTEST_SKIP() << "process numbers began anew: it would not come after it";
  EXPECT_TRUE(eventually([&] { return has_probes(second); })) << "the others go on";
  tool.process().signal(SIGINT);
  EXPECT_EQ(tool.process().wait().status, 3) << text_of(out);
  EXPECT_THAT(text_of(out), HasSubstr("process " + pid_of(refused) + " has no function 'hot_real'"));
  EXPECT_FALSE(has_probes(first));
}
#endif

TEST_F(GroupCommandLine, DoesNotStopTheProcessesThatStartedIt) {
  NamedGroups::store(one_, {.pids = {::getpid()}});
  EXPECT_THAT(output_of({"group", one_, "--stop"}, 3), HasSubstr("it has started this command"));
}

TEST_F(GroupCommandLine, SaysWhatIsWrong) {
  EXPECT_THAT(output_of({"group", one_, "--stop", "--remove"}, 2), HasSubstr("use only one of --stop"));
  EXPECT_THAT(output_of({"group", "--stop"}, 2), HasSubstr("the name of the group is missing"));
  EXPECT_THAT(output_of({"group", one_, "--where", "rnak == 1"}, 2), HasSubstr("did you mean 'rank'"));
  EXPECT_THAT(output_of({"group", one_, "--group", one_}, 2), HasSubstr("would contain itself"));
  EXPECT_THAT(output_of({"group", one_, "--group", "none-" + mark_}, 2), HasSubstr("none-" + mark_));
  EXPECT_THAT(output_of({"group", "no-such-" + mark_}, 2), HasSubstr("no-such-" + mark_));
  EXPECT_THAT(output_of({"group", one_, "--remove"}, 3), HasSubstr("does not exist"));
  NamedGroups::store(one_, {.where = "rank == 1"});
  NamedGroups::store(two_, {.groups = {one_}});
  EXPECT_THAT(output_of({"group", one_, "--remove"}, 2), HasSubstr("cannot remove group '" + one_ + "'"));
  EXPECT_THAT(output_of({"group", one_, "--switch", "maybe"}, 2), HasSubstr("maybe"));
}

}  // namespace
}  // namespace eventspace
