// A job whose ranks run on two hosts: each has a host name of its own (a UTS namespace), and the launcher
// starts the ranks there through a remote shell, which is a script. The hosts share the memory of this
// machine. With the MPI of MPI_NAME.
#include <unistd.h>

#include <filesystem>
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
  [[nodiscard]] Words on_two_hosts(const std::string& word) const {
    if (std::string(MPI_NAME) == "mpich")
      return {MPIRUN, "-launcher", "rsh", "-launcher-exec", shell_, "-hosts", "alpha,beta", "-ppn",
              "1",    "-np",       "2",   MPI_APP,          word};
    Words words{MPIRUN, "--mca", "plm_rsh_agent", shell_};
    for (const char* const network : {"btl_tcp_if_include", "oob_tcp_if_include"})
      for (const char* const one : {"--mca", network, "lo"}) words.emplace_back(one);
    for (const char* const variable : {"LD_PRELOAD", "EVENTSPACE_SESSION", "EVENTSPACE_RUN_REPORT"})
      for (const char* const one : {"-x", variable}) words.emplace_back(one);
    for (const char* const one : {"--host", "alpha,beta", "-np", "2", MPI_APP}) words.emplace_back(one);
    words.push_back(word);
    return words;
  }

 private:
  std::filesystem::path shell_;
};

TEST_F(SeveralHostsTest, EachRankIsOnItsHostAndAllAreSeenFromTheLauncher) {
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
  EXPECT_EQ(program.err(), "");
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

}  // namespace
}  // namespace eventspace
