#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/monitors/workplace.h"
#include "tests/tuplespace/second_user.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"

// Another user of this machine tries to read, write, disturb and stop a session whose pathmap has no ports.
namespace eventspace {
namespace {

namespace fs = std::filesystem;
using test::SecondUser;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<fs::path> files_below(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) files.push_back(entry.path());
  return files;
}

bool names_socket(const fs::path& file) { return fs::symlink_status(file).type() == fs::file_type::socket; }

// Returns the number of the error of connecting to the socket, 0 if it succeeds.
int error_of_connecting(const fs::path& socket) {
  const int own = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.native().copy(address.sun_path, sizeof address.sun_path - 1);
  const int result = ::connect(own, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = result == 0 ? 0 : errno;
  ::close(own);
  return error;
}

std::set<std::string> sockets_of(int process) {
  std::set<std::string> inodes;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", process))) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  return inodes;
}

// Returns how many TCP sockets of the process listen.
int listening_ports_of(int process) {
  const std::set<std::string> own = sockets_of(process);
  int count = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
      if (fields.size() > 9 && fields[3] == "0A" && own.contains(fields[9])) ++count;
    }
  }
  return count;
}

class SecondUserTest : public testing_commands::Workplace {
 protected:
  void SetUp() override {
    if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
    std::string name = (fs::temp_directory_path() / "eventspace-shared-XXXXXX").string();
    shared_ = ::mkdtemp(name.data());
    ::chmod(shared_.c_str(), 01777);
    ::setenv("EVENTSPACE_SHM_DIR", shared_.c_str(), 1);
    ::setenv("XDG_RUNTIME_DIR", file("none").c_str(), 1);  // so the directory in /tmp is used
    segments_ = shared_ / own_directory_name();
    runtime_ = runtime_directory();
  }
  void TearDown() override {
    if (shared_.empty()) return;
    call({"down", pathmap(), "--session", session_});
    std::error_code ignored;
    fs::remove_all(shared_, ignored);
    fs::remove_all(fmt::format("/tmp/eventspace-{}", SecondUser::id), ignored);
  }

  [[nodiscard]] fs::path pathmap() const {
    fs::path file = shared_ / "tiny.yaml";
    std::ofstream(file)
        << "pathmap: 1\nname: tiny\ncluster: {nodes: {n1: {}, n2: {}}}\n"
           "application:\n  threads: [a, b]\n"
           "  elements: [{name: 'log/{thread}', for: '*', tuple: [int], threshold: 10, "
           "when_full: discard}]\n"
           "  paths: [{thread: '*', name: log, element: 'log/{thread}', use: write}]\n"
           "placement: {processes: {p0: {node: n1, threads: a}, p1: {node: n2, threads: b}}}\n"
           "collect: {points: [{threads: '*', at: [thread]}]}\n"
           "scopes:\n"
        << testing_commands::monitors_scopes;
    return file;
  }
  // Servers, and an application that records.
  testing_commands::Call a_session() {
    const testing_commands::Call up = call({"up", pathmap(), "--session", session_});
    testing_commands::Call run = start({"run", pathmap(), "--session", session_, "--", TINY_APP});
    EXPECT_TRUE(run.says("ready p0") && run.says("ready p1")) << up.err() << run.err();
    return run;
  }
  // `eventspace ARGUMENTS...`, run by the second user.
  testing_commands::Call theirs(const std::vector<std::string>& arguments) {
    const std::string id = std::to_string(SecondUser::id);
    auto done = start(arguments, {"setpriv", "--reuid", id, "--regid", id, "--clear-groups"});
    done.status();
    return done;
  }
  [[nodiscard]] std::vector<int> ours() const { return processes_with(session_); }
  [[nodiscard]] std::vector<fs::path> our_files() const {
    std::vector<fs::path> files = files_below(runtime_);
    for (fs::path& file : files_below(segments_)) files.push_back(std::move(file));
    return files;
  }
  void expect_that_all_works() {
    auto heartbeat = call({"heartbeat", pathmap(), "--session", session_, "--once", "--list", "all"});
    EXPECT_THAT(heartbeat.out(), HasSubstr("2 threads")) << heartbeat.err();
    EXPECT_THAT(heartbeat.out(), Not(HasSubstr("missing")));
  }

  fs::path shared_, segments_, runtime_;  // the second user's own would differ
  const std::string session_ = fmt::format("second-user-{}", ::getpid());
};

TEST_F(SecondUserTest, FindsNoPortAtWhichAServerListens) {
  const auto run = a_session();
  ASSERT_THAT(ours(), Not(IsEmpty()));
  for (const int process : ours()) EXPECT_EQ(listening_ports_of(process), 0) << process;
}

TEST_F(SecondUserTest, ConnectsToNoSocket) {
  const auto run = a_session();
  int sockets = 0;
  for (const fs::path& file : our_files()) {
    if (!names_socket(file)) continue;
    ++sockets;
    EXPECT_TRUE(SecondUser::can([&] { return error_of_connecting(file) == EACCES; })) << file;
  }
  EXPECT_GE(sockets, 2);
}

TEST_F(SecondUserTest, ListsReadsAndChangesNoFile) {
  const auto run = a_session();
  EXPECT_TRUE(SecondUser::can(
      [this] { return ::opendir(segments_.c_str()) == nullptr && ::opendir(runtime_.c_str()) == nullptr; }));
  const auto files = our_files();
  EXPECT_THAT(files, Contains(testing::ResultOf([](const fs::path& file) { return file.string(); },
                                                HasSubstr(session_files::prefix(session_, "n1")))));
  for (const fs::path& file : files) {
    EXPECT_TRUE(SecondUser::can([&] {
      const fs::path own = shared_ / fmt::format("link-{}", ::getpid());
      return ::open(file.c_str(), O_RDONLY) < 0 && ::open(file.c_str(), O_WRONLY | O_TRUNC) < 0 &&
             ::truncate(file.c_str(), 0) != 0 && ::unlink(file.c_str()) != 0 &&
             ::rename(file.c_str(), own.c_str()) != 0 && ::link(file.c_str(), own.c_str()) != 0 &&
             ::chmod(file.c_str(), 0666) != 0;
    })) << file;
  }
  for (const fs::path& directory : {segments_, runtime_}) {
    EXPECT_TRUE(SecondUser::can([&] {
      return ::rename(directory.c_str(), (directory.string() + "-away").c_str()) != 0 &&
             ::mkfifo((directory / "fifo").c_str(), 0666) != 0 && ::rmdir(directory.c_str()) != 0;
    })) << directory;
  }
  expect_that_all_works();
}

TEST_F(SecondUserTest, StopsNoProcess) {
  const auto run = a_session();
  const auto before = ours();
  for (const int process : before)
    EXPECT_TRUE(SecondUser::can([&] { return ::kill(process, SIGTERM) != 0 && errno == EPERM; })) << process;
  EXPECT_THAT(theirs({"down", pathmap(), "--session", session_}).out(), HasSubstr("n1: not running"));
  EXPECT_EQ(ours(), before);
  expect_that_all_works();
}

TEST_F(SecondUserTest, SeesAndSwitchesNothing) {
  const auto run = a_session();
  EXPECT_THAT(theirs({"ls"}).out(), Not(HasSubstr(session_)));
  EXPECT_THAT(theirs({"segments"}).out(), Not(HasSubstr(session_)));
  EXPECT_THAT(theirs({"segments", "--remove"}).err(), HasSubstr("removed 0 files"));
  auto heartbeat = theirs({"heartbeat", pathmap(), "--session", session_, "--once", "--timeout", "200ms"});
  EXPECT_EQ(heartbeat.status(), 3);
  EXPECT_EQ(heartbeat.out(), "");
  EXPECT_THAT(heartbeat.err(), HasSubstr("no server of session"));
  auto switched = theirs({"switch", pathmap(), "off", "--session", session_, "--timeout", "200ms"});
  EXPECT_THAT(switched.out() + switched.err(), HasSubstr("its server does not answer"));
  expect_that_all_works();
}

TEST_F(SecondUserTest, HasTheSameSessionForThemselvesAndItDoesNotClash) {
  const auto run = a_session();
  auto up = theirs({"up", pathmap(), "--session", session_});
  EXPECT_EQ(up.status(), 0) << up.out() << up.err();
  EXPECT_THAT(up.out(), HasSubstr("n1: started"));
  EXPECT_EQ(theirs({"down", pathmap(), "--session", session_}).status(), 0);
  expect_that_all_works();
}

class TakenNames : public SecondUserTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, TakenNames, testing::Values("directory", "file", "link", "fifo"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(TakenNames, StopNothing) {
  ASSERT_TRUE(SecondUser::can([this] {
    const std::string name = segments_.string();
    const std::string kind = GetParam();
    if (kind == "directory") return ::mkdir(name.c_str(), 0777) == 0;
    if (kind == "link") return ::symlink("/etc", name.c_str()) == 0;
    return (kind == "fifo" ? ::mkfifo(name.c_str(), 0666) : ::mknod(name.c_str(), S_IFREG | 0666, 0)) == 0;
  }));
  const auto run = a_session();
  expect_that_all_works();
  EXPECT_THAT(files_below(segments_.string() + ".1"), Not(IsEmpty()));
  EXPECT_THAT(run.err(),
              HasSubstr(fmt::format("eventspace: note: {} belongs to user {}; {}.1 is used instead",
                                    segments_.string(), SecondUser::id, segments_.string())));
}

}  // namespace
}  // namespace eventspace
