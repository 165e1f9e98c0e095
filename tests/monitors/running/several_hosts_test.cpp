// A job whose ranks run on two hosts: each has its own host name (a UTS namespace), and the launcher starts
// the ranks there through a remote shell, which is a script. The hosts share the memory of this machine. With
// the MPI of MPI_NAME.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/monitors/servers/mpi_programs.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_commands::eventually;

constexpr const char* remote_shell =
    "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1; shift\n"
    "exec unshare -u sh -c 'hostname \"$0\" && exec sh -c \"$1\"' \"$host\" \"$*\"\n";

class SeveralHostsTest : public MpiProgramTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a process another host name";
    shell_ = write("remote_shell", remote_shell);
    std::filesystem::permissions(shell_, std::filesystem::perms::owner_all);
  }
  /// `variables`: variables that the launcher has to pass to processes on other hosts.
  [[nodiscard]] Words on_two_hosts(const std::string& word,
                                   const Words& variables = {"LD_PRELOAD", "EVENTSPACE_SESSION",
                                                             "EVENTSPACE_RUN_REPORT"}) const {
    Words words{MPIRUN};
    const auto add = [&words](const Words& more) { words.insert(words.end(), more.begin(), more.end()); };
    if (std::string(MPI_NAME) == "mpich") {
      add({"-launcher", "rsh", "-launcher-exec", shell_, "-hosts", "alpha,beta", "-ppn", "1"});
    } else {
      add({"--mca", "plm_rsh_agent", shell_, "--host", "alpha,beta"});
      for (const char* const network : {"btl_tcp_if_include", "oob_tcp_if_include"})
        add({"--mca", network, "lo"});
      for (const std::string& variable : variables) add({"-x", variable});
    }
    add({"-np", "2"});
    add(before_program_);
    add({MPI_APP, word});
    return words;
  }
  void start_program_by(const Words& words) { before_program_ = words; }

 private:
  std::filesystem::path shell_;
  Words before_program_;
};

TEST_F(SeveralHostsTest, EachRankIsOnItsHostAndVisibleFromTheLauncher) {
  wait_at_file();
  Call program = run(on_two_hosts("talk"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  EXPECT_TRUE(eventually([&] { return recorded()["MPI_Comm_free"].calls == 4; }));
  EXPECT_THAT(call({"ls", "job"}).out(), AllOf(HasSubstr("alpha"), HasSubstr("beta")));
  for (const std::string& named : {std::string("job"), std::to_string(program.pid())}) {
    Call profile = call({"profile", named, "--table", "threads", "--format", "json", "--quiet"});
    std::set<std::pair<std::string, std::string>> places;
    for (const auto& row : testing_commands::objects_in(profile.out()))
      places.emplace(row["thread"], row["node"]);
    const std::string app = std::filesystem::path(MPI_APP).filename();
    EXPECT_EQ(places,
              (std::set<std::pair<std::string, std::string>>{{app + ".0", "alpha"}, {app + ".1", "beta"}}))
        << profile.out() << profile.err();
  }
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.err(), testing::Not(HasSubstr("eventspace:")));
}

TEST_F(SeveralHostsTest, AVerdictNamesTheRankOfTheOtherHost) {
  wait_at_file();
  Call program = run(on_two_hosts("stick"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::string seen;
  EXPECT_TRUE(eventually([&] {
    seen = heartbeat();
    return seen.find("STALL absent: rank 0: ") != std::string::npos;
  })) << seen;
  EXPECT_THAT(seen, HasSubstr("1 rank waits: 1 in MPI_Recv from 0 tag 42 on MPI_COMM_WORLD (2) for"));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

// Each host has its own shared memory and directory for sockets, like two machines; the host of the launcher
// and the monitors is without ranks. All share a directory for the job.
class SeveralMachinesTest : public SeveralHostsTest {
 protected:
  void SetUp() override {
    SeveralHostsTest::SetUp();
    if (IsSkipped()) return;
    for (const char* const host : {"alpha", "beta"})
      for (const char* const part : {"shm", "run"}) std::filesystem::create_directories(file(host) / part);
    std::filesystem::create_directory(file("common"));
    // Set after the launcher, which may pass on the variables of its own machine.
    const auto on_host = write("on_host", "#!/bin/sh\ndir=" + file("").string() +
                                              "$(hostname)\nexport EVENTSPACE_SHM_DIR=$dir/shm "
                                              "XDG_RUNTIME_DIR=$dir/run\nexec \"$@\"\n");
    std::filesystem::permissions(on_host, std::filesystem::perms::owner_all);
    start_program_by({on_host});
    // All are on one machine, whose addresses may belong to a network that blocks traffic.
    set("EVENTSPACE_ADDRESS", "127.0.0.1");
    wait_at_file();
  }
  Call run_shared(const std::string& word) {
    return run(on_two_hosts(word, {"GO_ON", "EVENTSPACE_ADDRESS"}), {"--shared", file("common")});
  }
  [[nodiscard]] std::filesystem::path job() const {
    for (const auto& entry : std::filesystem::directory_iterator(file("common"))) return entry.path();
    return {};
  }
  [[nodiscard]] std::size_t machines() const {
    std::size_t count = 0;
    if (job().empty()) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(job()))
      count += entry.path().filename().string().starts_with("node-") ? 1 : 0;
    return count;
  }
  void expect_end(Call& program) {
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
    EXPECT_THAT(program.err(), testing::Not(HasSubstr("eventspace:")));
    EXPECT_TRUE(std::filesystem::is_empty(file("common")));
    EXPECT_EQ(call({"heartbeat", "job", "--once"}).status(), 3) << "nothing is left of the session here";
  }
};

TEST_F(SeveralMachinesTest, OneViewHasTheRanksOfAllByTheSessionAndByTheLauncher) {
  Call program = run_shared("talk");
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return machines() == 2; }));
  EXPECT_TRUE(eventually([&] { return recorded()["MPI_Comm_free"].calls == 4; }));
  EXPECT_EQ(recorded()["MPI_Send"], (Count{3, 33}));
  const std::string app = std::filesystem::path(MPI_APP).filename();
  using Places = std::set<std::pair<std::string, std::string>>;
  const Places both{{app + ".0", "alpha"}, {app + ".1", "beta"}};
  for (const std::string& named : {std::string("job"), std::to_string(program.pid())}) {
    Call profile = call({"profile", named, "--table", "threads", "--format", "json", "--quiet"});
    Places places;
    for (const auto& row : testing_commands::objects_in(profile.out()))
      places.emplace(row["thread"], row["node"]);
    EXPECT_EQ(places, both) << profile.out() << profile.err();
  }
  EXPECT_THAT(call({"ls"}).out(), HasSubstr("alpha beta"));
  const std::string processes = call({"ls", "job"}).out();
  EXPECT_THAT(processes, AllOf(HasSubstr(app + ".0"), HasSubstr("alpha"), HasSubstr(app + ".1")));
  EXPECT_THAT(call({"values", "job", "--count", "1", "--of", "bytes", "--by", "process"}).out(),
              AllOf(HasSubstr(app + ".0"), HasSubstr(app + ".1")));
  EXPECT_THAT(call({"heartbeat", "job", "--once", "--list", "all"}).out(), HasSubstr("2 threads"));
  Call collectives = call({"collectives", "job", "--each", "--count", "3", "--for", "10s", "--quiet"});
  EXPECT_THAT(collectives.out(), HasSubstr("MPI_Allreduce")) << collectives.err();
  EXPECT_THAT(collectives.out(), HasSubstr("rank")) << collectives.err();
  expect_end(program);
}

TEST_F(SeveralMachinesTest, WhatIsRecordedIsSwitchedOnAll) {
  Call program = run_shared("talk");
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return machines() == 2; }));
  Call off = call({"switch", "job", "off", "--format", "json"});
  EXPECT_EQ(off.status(), 0) << off.err();
  EXPECT_EQ(testing_commands::objects_in(off.out()).size(), 2u) << off.out();
  expect_end(program);
}

TEST_F(SeveralMachinesTest, ARecordingOfAllCanBeReadLater) {
  Call program = run_shared("stick");
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return machines() == 2; }));
  EXPECT_EQ(call({"record", "job", "-o", file("job.evs"), "--for", "500ms"}).status(), 0);
  Call later = call({"profile", file("job.evs"), "--table", "threads", "--format", "json", "--quiet"});
  std::set<std::string> nodes;
  for (const auto& row : testing_commands::objects_in(later.out())) nodes.insert(row["node"]);
  EXPECT_EQ(nodes, (std::set<std::string>{"alpha", "beta"})) << later.out() << later.err();
  expect_end(program);
}

TEST_F(SeveralMachinesTest, AVerdictNamesTheRanksOfBoth) {
  Call program = run_shared("stick");
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::string seen;
  EXPECT_TRUE(eventually([&] {
    seen = heartbeat();
    return seen.find("STALL absent: rank 0: asleep") != std::string::npos;
  })) << seen;
  EXPECT_THAT(seen, HasSubstr("1 rank waits: 1 in MPI_Recv from 0 tag 42 on MPI_COMM_WORLD (2) for"));
  expect_end(program);
}

// Such entries may be left by another user's program or a full disk.
TEST_F(SeveralMachinesTest, EntriesThatCannotBeReadAreNamedAndHideNoOther) {
  Call program = run_shared("talk");
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return machines() == 2; }));
  std::ofstream(job() / "node-007") << "eventspace-job-node 1\nsession job\nnode gam";
  Call look = call({"heartbeat", "job", "--once"});
  EXPECT_THAT(look.out(), HasSubstr("2 threads"));
  EXPECT_THAT(look.err(), AllOf(HasSubstr("node-007 is not a file that a machine of a job writes"),
                                HasSubstr("it ends within a line; it is ignored")));
  expect_end(program);
}

TEST_F(SeveralMachinesTest, AServerThatIsKilledIsMissedAndTheNextOneIsSeen) {
  Call program = run_shared("stick");
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return machines() == 2; }));
  const auto servers_left = [&] { return processes_with("--job"); };
  ASSERT_TRUE(eventually([&] { return servers_left().size() == 2; }));
  Call watch = start({"heartbeat", "job", "--interval", "200ms", "--for", "2min"});
  ASSERT_TRUE(watch.says("2 threads")) << watch.err();
  for (const int server : servers_left()) ::kill(server, SIGKILL);
  EXPECT_TRUE(watch.says("missing")) << watch.out() << watch.err();
  for (const char* const host : {"alpha", "beta"}) {
    const Words there{"env", "EVENTSPACE_SHM_DIR=" + (file(host) / "shm").string(),
                      "XDG_RUNTIME_DIR=" + (file(host) / "run").string(),
                      std::string("EVENTSPACE_NODE=") + host};
    EXPECT_EQ(start({"serve", "--session", "job", "--job", job(), "--background"}, there).status(), 0);
  }
  const std::size_t before = watch.out().size();
  EXPECT_TRUE(eventually([&] { return watch.out().find("2 threads", before) != std::string::npos; }))
      << watch.out() << watch.err();
  watch.signal(SIGKILL);
  expect_end(program);
}

TEST_F(SeveralMachinesTest, TheReasonWhyAMachineHasNoServerIsReported) {
  set("EVENTSPACE_ADDRESS", "nonsense");
  Call program = run_shared("talk");
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return machines() == 2; }));
  EXPECT_THAT(
      call({"ls", "job"}).err(),
      AllOf(HasSubstr("machine alpha has no server, so its ranks are not visible from other machines"),
            HasSubstr("EVENTSPACE_ADDRESS is 'nonsense'")));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.err(), testing::Not(HasSubstr("eventspace:")));
}

TEST_F(SeveralMachinesTest, ASecondJobOfTheSessionIsRefusedAndAfterAKilledOneItIsNot) {
  Call killed = run_shared("stick");
  ASSERT_TRUE(killed.says("ready")) << killed.err();
  Call second = run_shared("talk");
  EXPECT_EQ(second.status(), 3);
  EXPECT_THAT(second.err(), HasSubstr("session job is already a job on several machines (process"));
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.status(), -SIGKILL);
  for (const int left : processes_with(MPI_APP)) ::kill(left, SIGKILL);
  ASSERT_FALSE(job().empty()) << "it leaves its directory";
  go_on();
  Call third = run_shared("talk");
  EXPECT_EQ(third.status(), 0) << third.err();
  EXPECT_TRUE(std::filesystem::is_empty(file("common")));
}

TEST_F(SeveralMachinesTest, WithoutTheKeysNothingIsSeen) {
  Call program = run_shared("talk");
  ASSERT_TRUE(program.says("ready")) << program.err();
  ASSERT_TRUE(eventually([&] { return machines() == 2; }));
  {
    const auto keys = file("other.keys");
    std::string other = testing_commands::read_text(job() / "keys");
    char& digit = other[other.find("listening ") + std::string("listening ").size() + 4];
    digit = digit == '1' ? '2' : '1';
    write("other.keys", other);
    std::filesystem::permissions(keys, std::filesystem::perms(0600));
    const test::Variable given("EVENTSPACE_KEYS", keys);
    Call look = call({"heartbeat", "job", "--once", "--list", "all"});
    EXPECT_THAT(look.out(), testing::Not(HasSubstr("MPI_"))) << "other keys";
    std::filesystem::permissions(keys, std::filesystem::perms(0644));
    EXPECT_THAT(call({"heartbeat", "job", "--once"}).err(), HasSubstr("other users have access to it"));
  }
  EXPECT_THAT(call({"heartbeat", "job", "--once", "--list", "all"}).out(), HasSubstr("MPI_"));
  expect_end(program);
}

TEST_F(SeveralMachinesTest, TheSharedDirectoryMustBeThere) {
  Call program = run(on_two_hosts("talk", {"GO_ON"}), {"--shared", file("missing")});
  EXPECT_EQ(program.status(), 3);
  EXPECT_THAT(program.err(), HasSubstr("expected a directory that all machines of the job share"));
  Call other = start({"run", "--shared", file("common"), "--", "true"});
  EXPECT_EQ(other.status(), 2);
  EXPECT_THAT(other.err(), HasSubstr("--shared needs a program of MPI or PVM"));
}

}  // namespace
}  // namespace eventspace
