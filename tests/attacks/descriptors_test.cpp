#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/attacks/raw_peer.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/system/few_descriptors.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/tied_process.h"
#include "tuplespace/system/mapping.h"

// A server that may open few descriptors.

namespace eventspace {
namespace {

using namespace std::chrono_literals;

class DescriptorsTest : public testing::Test {
 protected:
  pid_t start(int descriptors, const std::string& input) const {
    return test::start_tied({"/bin/sh", "-c",
                             fmt::format("ulimit -n {}; exec {} local {} < {} 2> {}", descriptors,
                                         ATTACKED_PROCESS, endpoint, input, errors.string())});
  }
  [[nodiscard]] std::string errors_text() const {
    std::stringstream text;
    text << std::ifstream(errors).rdbuf();
    return text.str();
  }
  /// Processor time of the process so far.
  static std::chrono::milliseconds cpu(pid_t pid) {
    std::ifstream stream("/proc/" + std::to_string(pid) + "/stat");
    std::string word;
    for (int field = 1; field < 14; ++field) stream >> word;
    std::int64_t user = 0, system = 0;
    stream >> user >> system;
    return std::chrono::milliseconds((user + system) * 1000 / ::sysconf(_SC_CLK_TCK));
  }

  /// Whether a process comes to use less than half of a processor before it has used a second and a half of
  /// processor time: on a busy machine it may do earlier work late. `between` is called while waiting.
  template <class Used, class Between>
  static bool comes_to_rest(const Used& used, const Between& between) {
    constexpr auto stretch = 500ms;
    const auto most = used() + 1500ms;
    for (auto before = used(); before < most; before = used()) {
      const auto end = std::chrono::steady_clock::now() + stretch;
      while (std::chrono::steady_clock::now() < end) between(), std::this_thread::sleep_for(10ms);
      if (used() - before < stretch / 2) return true;
    }
    return false;
  }

  test::TemporaryDirectory directory;
  std::filesystem::path errors{directory.path() / "errors"};
  std::string endpoint{test::local_endpoint(test::free_port())};
};

TEST_F(DescriptorsTest, TooFewToStartAreAnErrorWithAMessageAndNoCrash) {
  bool was_refused = false;
  for (int descriptors = 4; descriptors <= 40; ++descriptors) {
    const pid_t pid = start(descriptors, "/dev/null");  // ends at once if it can start
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status)) << descriptors << " descriptors: " << errors_text();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) {
      was_refused = true;
      EXPECT_THAT(errors_text(),
                  testing::AnyOf(testing::HasSubstr("ulimit -n"), testing::HasSubstr("Too many open files")));
    }
  }
  EXPECT_TRUE(was_refused);
}

TEST_F(DescriptorsTest, ConnectionsThatSayNothingNeitherTakeAllNorBurnTheProcessor) {
  const std::filesystem::path fifo = directory.path() / "input";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const pid_t pid = start(64, fifo);
  const int writing = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
  test::Client owner;
  Path path = owner.path("box", {endpoint});
  const auto serves = [](Path& at) {
    const Status status = at.write(test::number(1), Deadline::now());
    return status == Status::ok || status == Status::full;
  };
  EXPECT_TRUE(serves(path));
  std::vector<test::RawPeer> silent;
  for (int i = 0; i < 300; ++i) silent.emplace_back(endpoint);
  EXPECT_TRUE(serves(path)) << "the owner's connection stands";
  test::Client newcomer;
  EXPECT_TRUE(test::eventually([&] {
    Path another = newcomer.path("box", {endpoint});
    return another.read(From::newest, Deadline::after(5s)).status == Status::ok;
  })) << "a new connection finds a descriptor";
  EXPECT_TRUE(comes_to_rest([&] { return cpu(pid); }, [&] { (void)serves(path); }));
  ::close(writing);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << errors_text();
}

TEST_F(DescriptorsTest, AProcessWithoutDescriptorsDoesNotSpinAtConnectionsThatWait) {
  Network network;
  Element box({"box", {FieldType::integer}, 4});
  Server server(
      network,
      {endpoint,
       "a server",
       "small",
       0xfeed,
       {{"element", element_kind([&box](Bytes, LinkPool&) { return std::make_unique<ElementStage>(box); })}},
       {},
       nullptr});
  server.start();
  test::Client client;
  Path path = client.path("box", {endpoint});
  EXPECT_EQ(path.write(test::number(1), Deadline::now()), Status::ok);
  std::vector<test::RawPeer> waiting(20);
  const auto cpu_of_this = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  {
    const test::FewDescriptors few(1);
    const FileHandle last(::dup(STDERR_FILENO));
    for (test::RawPeer& peer : waiting) ASSERT_TRUE(peer.connect(endpoint));
    EXPECT_TRUE(comes_to_rest(cpu_of_this, [] {}));
    EXPECT_TRUE(test::eventually([&] { return std::ranges::all_of(waiting, &test::RawPeer::was_ended); }))
        << "each is accepted with the descriptor in reserve, and ended";
  }
  EXPECT_EQ(path.write(test::number(2), Deadline::now()), Status::ok);
}

}  // namespace
}  // namespace eventspace
