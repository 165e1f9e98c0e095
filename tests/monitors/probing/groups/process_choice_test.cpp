#include "monitors/probing/groups/process_choice.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include <eventspace/error.h>
#include "monitors/probing/attaching/attached_segment.h"
#include "monitors/probing/groups/selection.h"
#include "paths/views/view.h"
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"
#include "tuplespace/trace/segment.h"

// Which processes a choice selects, without real processes.

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal(const std::function<void()>& action) {
  return test::error_text<ConfigurationError>(action);
}

/// Six processes of one machine: a launcher, four ranks of `lmp`, and one of another user.
class Choice : public testing::Test {
 protected:
  Choice() {
    add(10, "mpirun", {});
    for (int rank = 0; rank < 4; ++rank)
      add(11 + rank, "lmp",
          {{"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
           {"PMIX_NAMESPACE", "job@1"},
           {"ROLE", rank % 2 == 0 ? "even" : "odd"},
           {"EVENTSPACE_SESSION", "melt"}});
    for (std::size_t i = 1; i < processes.size(); ++i) processes[i].ancestors = {10, 5};
    add(20, "lmp", {});
    processes.back().is_own = false;
  }

  void add(std::int32_t pid, std::string name, std::map<std::string, std::string, std::less<>> environment) {
    ProcessFacts process;
    process.pid = pid;
    process.name = std::move(name);
    process.host = "n1";
    process.rank = rank_in(environment);
    process.environment = std::move(environment);
    process.threads = static_cast<std::uint64_t>(pid);
    processes.push_back(std::move(process));
  }

  [[nodiscard]] std::vector<std::int32_t> pids(const ProcessChoice& choice) const {
    check_choice(choice);
    check_groups(choice, groups);
    std::vector<std::int32_t> found;
    for (const ProcessFacts* const process : selected(choice, groups, processes))
      found.push_back(process->pid);
    return found;
  }

  std::vector<ProcessFacts> processes;
  ProcessGroups groups;
};

TEST_F(Choice, IsTheUnionOfItsPidsNamesAndJobs) {
  EXPECT_THAT(pids({.pids = {12, 99}}), ElementsAre(12)) << "99 is none of these processes";
  EXPECT_THAT(pids({.names = {"l?p"}}), ElementsAre(11, 12, 13, 14, 20));
  EXPECT_THAT(pids({.pids = {12}, .names = {"mpi*"}}), ElementsAre(10, 12));
  EXPECT_THAT(pids({.jobs = {"job@1"}}), ElementsAre(11, 12, 13, 14));
  EXPECT_THAT(pids({.jobs = {"job@2"}}), IsEmpty());
}

TEST_F(Choice, AJobIsKnownByThePidOfItsLauncher) {
  EXPECT_THAT(pids({.jobs = {"10"}}), ElementsAre(11, 12, 13, 14)) << "the launcher is no rank";
  EXPECT_THAT(pids({.jobs = {"11"}}), IsEmpty());
}

TEST_F(Choice, KnowsWhatProcessesRecordAndTheirCommunicators) {
  processes[1].recorded = {"melt/lmp.0"};
  processes[1].communicators = {"MPI_COMM_WORLD (4)", "row 0 (2)"};
  processes[2].recorded = {"freeze/lmp.1", "other/lmp.1"};
  processes[2].communicators = {"MPI_COMM_WORLD (4)", "row 1 (2)"};
  EXPECT_THAT(pids({.recorded = {"*/lmp.*"}}), ElementsAre(11, 12));
  EXPECT_THAT(pids({.recorded = {"other/lmp.1"}}), ElementsAre(12));
  EXPECT_THAT(pids({.pids = {10}, .communicators = {"row [0-9]"}}), ElementsAre(10, 11, 12));
  EXPECT_THAT(pids({.communicators = {"row 0 (2)"}}), ElementsAre(11));
  EXPECT_THAT(pids({.communicators = {"row"}}), IsEmpty());
  EXPECT_EQ(processes[1].session(), "melt");
  EXPECT_EQ(processes[2].session(), "freeze") << "it does not record where its environment says";
  EXPECT_EQ(processes[3].session(), "melt") << "nothing else is known";
}

// This process has a segment, and is a rank of an MPI job in it.
TEST(ProcessFacts, AreCompletedBySegments) {
  const test::TemporaryDirectory directory;
  Segment::Config config;
  config.identity = {"melt", "n1", "lmp.3", 0};
  config.directory = directory.path();
  Segment segment(config);
  const auto name = [&segment](OwnNameOf of, std::uint32_t number, const std::string& text) {
    ASSERT_TRUE(segment.add_name({static_cast<std::uint16_t>(of), number, text}));
  };
  name(OwnNameOf::communicator, 1, "MPI_COMM_WORLD (4)");
  name(OwnNameOf::communicator, 7, "Comm_split of MPI_COMM_WORLD from rank 0 (2)");
  name(OwnNameOf::thread, 7, "lmp.3");
  name(OwnNameOf::named_communicator, 7, "solver (2)");
  std::ofstream(directory.path() / ("eventspace." + std::to_string(::geteuid()) + ".melt.n1.p.1"))
      << "no segment";
  std::vector<ProcessFacts> processes(2);
  processes[0].pid = ::getppid();
  processes[1].pid = ::getpid();
  add_recorded(processes, directory.path());
  EXPECT_THAT(processes[0].recorded, IsEmpty());
  EXPECT_THAT(processes[1].recorded, ElementsAre("melt/lmp.3"));
  EXPECT_THAT(processes[1].communicators, ElementsAre("MPI_COMM_WORLD (4)", "solver (2)"));
  add_recorded(processes, directory.path());
  EXPECT_THAT(processes[1].recorded, ElementsAre("melt/lmp.3"))
      << "it is the same when it is looked up again";
  EXPECT_THAT(processes[1].communicators, ElementsAre("MPI_COMM_WORLD (4)", "solver (2)"));
}

// This process has made the segment, like `eventspace attach`, but records nothing in it.
TEST(ProcessFacts, HaveNoSegmentsThatWereMadeForOtherProcesses) {
  const test::TemporaryDirectory directory;
  const test::Variable place("EVENTSPACE_SHM_DIR", directory.path().string());
  const AttachedSegment attached("melt", "lmp:7");
  std::vector<ProcessFacts> processes(1);
  processes[0].pid = ::getpid();
  ASSERT_THAT(find_segments("melt"), testing::SizeIs(1));
  add_recorded(processes);
  EXPECT_THAT(processes[0].recorded, IsEmpty());
  Segment::Config config;
  config.identity = {"melt", "n1", "tool", 0};
  const Segment own(config);
  ASSERT_THAT(find_segments("melt"), testing::SizeIs(2));
  add_recorded(processes);
  EXPECT_THAT(processes[0].recorded, ElementsAre("melt/tool")) << "it records itself, too";
}

TEST_F(Choice, AConditionAloneIsOverThisUsersProcesses) {
  EXPECT_THAT(pids({.where = "rank >= 2"}), ElementsAre(13, 14));
  EXPECT_THAT(pids({.where = "name == 'lmp'"}), ElementsAre(11, 12, 13, 14));
  EXPECT_THAT(pids({.where = "env_ROLE == 'even' and host matches 'n[1-2]'"}), ElementsAre(11, 13));
  EXPECT_THAT(pids({.where = "session == 'melt' and job == 'job@1' and not (rank == 0)"}),
              ElementsAre(12, 13, 14));
  EXPECT_THAT(pids({.where = "threads > 13 and pid < 20"}), ElementsAre(14));
  EXPECT_THAT(pids({.where = "env_NONE == ''"}), IsEmpty()) << "what is missing equals nothing";
  EXPECT_THAT(pids({.where = "memory == 0"}), testing::SizeIs(5));
}

TEST_F(Choice, ConditionsAreCheckedWithTheirPlace) {
  EXPECT_THAT(refusal([&] { (void)pids({.where = "rnak == 1"}); }), HasSubstr("did you mean 'rank'"));
  EXPECT_THAT(refusal([&] { (void)pids({.where = "rank == 'a'"}); }), HasSubstr("expected a number"));
  EXPECT_THAT(refusal([&] { (void)pids({.where = "rank"}); }), HasSubstr("expected true or false"));
  EXPECT_THAT(refusal([&] { (void)pids({.where = "env_ == 'a'"}); }), HasSubstr("unknown field"));
  EXPECT_THAT(refusal([&] { (void)pids({.where = "threads > 1ms"}); }), HasSubstr("processes have no field"));
}

TEST_F(Choice, GroupsAreCombinedAsSets) {
  groups["lmps"] = {.names = {"lmp"}, .where = "rank >= 0"};
  groups["even"] = {.where = "env_ROLE == 'even'"};
  groups["first"] = {.where = "rank == 0"};
  groups["rest"] = {.groups = {"lmps"}, .without = {"first"}};
  EXPECT_THAT(pids({.groups = {"lmps"}}), ElementsAre(11, 12, 13, 14));
  EXPECT_THAT(pids({.groups = {"first"}, .within = {"even"}}), ElementsAre(11));
  EXPECT_THAT(pids({.groups = {"rest"}}), ElementsAre(12, 13, 14));
  EXPECT_THAT(pids({.pids = {10}, .groups = {"rest"}, .within = {"lmps"}, .without = {"even"}}),
              ElementsAre(12, 14));
  EXPECT_THAT(pids({.within = {"even"}}), ElementsAre(11, 13));
  EXPECT_THAT(groups_needed({.groups = {"rest"}}, groups), testing::SizeIs(3));
  groups["first"] = {.where = "rank == 1"};
  EXPECT_THAT(pids({.groups = {"rest"}}), ElementsAre(11, 13, 14)) << "it was changed while it was in use";
}

TEST_F(Choice, GroupsThatAreNoneAreRefused) {
  groups["a"] = {.groups = {"b"}};
  EXPECT_THAT(refusal([&] { check_groups({.groups = {"c"}}, groups); }), HasSubstr("known: a"));
  EXPECT_THAT(refusal([&] { check_groups({.groups = {"c"}}, {}); }), HasSubstr("group 'c' does not exist"));
  groups["b"] = {.without = {"a"}};
  EXPECT_THAT(refusal([&] { check_groups({.groups = {"a"}}, groups); }), HasSubstr("would contain itself"));
  EXPECT_THAT(refusal([&] { check_choice({.groups = {"a b"}}); }), HasSubstr("cannot be the name"));
}

TEST_F(Choice, GroupsHaveALimitedDepthAndSize) {
  for (int i = 0; i < 20; ++i) groups["g" + std::to_string(i)] = {.groups = {"g" + std::to_string(i + 1)}};
  groups["g20"] = {.where = "rank == 0"};
  EXPECT_THAT(refusal([&] { check_groups({.groups = {"g0"}}, groups); }), HasSubstr("more than 16 deep"));
  EXPECT_THAT(pids({.groups = {"g10"}}), ElementsAre(11));
  for (int i = 0; i < 12; ++i)
    groups["d" + std::to_string(i)] = {.groups = std::vector<std::string>(4, "d" + std::to_string(i + 1))};
  groups["d12"] = {};
  EXPECT_THAT(refusal([&] { check_groups({.groups = {"d0"}}, groups); }), HasSubstr("more than 100000"));
}

TEST(ChoiceText, IsReadAsItWasWritten) {
  const ProcessChoice choice{.pids = {1, 2},
                             .names = {"lmp", "x=y"},
                             .jobs = {"77"},
                             .groups = {"a"},
                             .within = {"b"},
                             .without = {"c"},
                             .where = "rank == 1 and name == 'a b'"};
  EXPECT_EQ(parse_choice(to_text(choice)), choice);
  EXPECT_EQ(parse_choice(""), ProcessChoice());
  EXPECT_TRUE(parse_choice("").is_empty());
}

TEST(ChoiceText, IsDistrusted) {
  for (const char* const text :
       {"pid=0", "pid=-1", "pid=x", "pid", "=", "\t", "colour=red", "name={a", "job=", "group=all",
        "where=rank ==", "where=rank == 1\twhere=rank == 2", "pid=1\t\t"})
    EXPECT_NE(refusal([&] { (void)parse_choice(text); }), "") << text;
  EXPECT_THAT(refusal([] { (void)to_text({.names = {"a\tb"}}); }), HasSubstr("a tab"));
  std::string many = "pid=1";
  for (std::size_t i = 0; i < max_parts; ++i) many += "\tpid=1";
  EXPECT_THAT(refusal([&] { (void)parse_choice(many); }), HasSubstr("at most 4096 parts"));
}

}  // namespace
}  // namespace eventspace
