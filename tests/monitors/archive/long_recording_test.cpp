#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "bench/recordings/made_run.h"
#include "tests/lines.h"
#include "tests/monitors/archive/stuck_market.h"

// Gigabytes, exported and replayed by the commands; and `eventspace record`, killed at any time. Both take
// minutes.
//
// EVENTSPACE_LONG_RECORDING_MB sets the size of the file: 800 by default, which is ten gigabytes of records
// before compression, and less if the disk does not have enough room for it.
namespace eventspace {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing_commands::Call;

class LongRecording : public testing_commands::StuckMarket {
 protected:
  struct Used {
    int status{-1};
    double memory_mib{0};  // maximum in memory at one time
  };

  /// Makes a recording of this many events in a separate process, so that this one stays small: children
  /// begin with its size.
  [[nodiscard]] std::filesystem::path made(std::uint64_t events) const {
    auto made = file("made-" + std::to_string(events) + ".evs");
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      bench::make_run(std::string(EVENTSPACE_EXAMPLES) + "/windtunnel-one-process.yaml", made, events);
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return made;
  }
  /// Runs `eventspace WORDS...`, whose output is dropped.
  static Used run(const std::vector<std::string>& words) {
    std::vector<std::string> all{EVENTSPACE_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
      std::vector<char*> arguments;
      for (std::string& word : all) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    int status = 0;
    rusage used{};
    if (::wait4(child, &status, 0, &used) != child || !WIFEXITED(status)) return {};
    return {WEXITSTATUS(status), static_cast<double>(used.ru_maxrss) / 1024};
  }
  [[nodiscard]] std::uintmax_t wanted_bytes() const {
    const char* const said = std::getenv("EVENTSPACE_LONG_RECORDING_MB");
    const std::uintmax_t most = said == nullptr ? 800 : std::strtoull(said, nullptr, 10);
    const std::uintmax_t room = std::filesystem::space(file("")).available / 2'000'000;
    return std::min(most, room) * 1'000'000;
  }
  [[nodiscard]] std::size_t events_in_info(const std::string& text) const {
    for (const std::string& line : test::lines_of(text))
      if (line.starts_with("events ")) return std::stoull(line.substr(6));
    return 0;
  }
};

TEST_F(LongRecording, IsExportedAndReplayedInMemoryThatDoesNotGrowWithTheFile) {
  constexpr std::uint64_t few = 2'000'000;
  const auto small = made(few);
  const auto factor = std::max<std::uint64_t>(wanted_bytes() / std::filesystem::file_size(small), 10);
  const auto large = made(few * factor);
  const double length = static_cast<double>(few * factor) / 2e6;
  RecordProperty("bytes", std::to_string(std::filesystem::file_size(large)));
  const std::string somewhere = std::to_string(static_cast<int>(length * 0.7)) + "s";
  const std::vector<std::vector<std::string>> all{
      {"export", "--to", "csv", "-o", "-", "--quiet"},
      {"export", "--to", "perfetto", "-o", "-", "--quiet"},
      {"events", "--quiet", "--threads", "t17", "--format", "csv"},
      {"values", "--of", "bytes", "--by", "thread", "--total", "--quiet"},
      {"heartbeat", "--once"},
      {"info"}};
  for (const std::vector<std::string>& question : all) {
    const auto ask = [&](const std::filesystem::path& of) {
      std::vector<std::string> words = question;
      words.insert(words.begin() + 1, of);
      if (question[0] == "heartbeat" && of == large) words.insert(words.end(), {"--at", somewhere});
      return run(words);
    };
    const Used of_small = ask(small);
    const Used of_large = ask(large);
    EXPECT_EQ(of_small.status, 0) << question[0];
    EXPECT_EQ(of_large.status, 0) << question[0];
    EXPECT_LT(of_large.memory_mib, 1.25 * of_small.memory_mib + 20)
        << question[0] << " of " << factor << " times the file, which took " << of_small.memory_mib << " MiB";
  }
}

#ifdef EVENTSPACE_HAS_OTF2
// Its library buffers megabytes for each open file, and has a file for each thread.
TEST_F(LongRecording, IsExportedToOtf2InMemoryThatDoesNotGrowWithTheEventsOfItsThreads) {
  constexpr std::uint64_t few = 200'000, many = 2'000'000;
  const auto memory_for = [this](std::uint64_t events) {
    const auto recording = made(events);
    const Used used = run({"export", recording, "--to", "otf2", "--quiet"});
    EXPECT_EQ(used.status, 0);
    return used.memory_mib;
  };
  const double of_few = memory_for(few);
  EXPECT_LT(memory_for(many), 1.3 * of_few);
}
#endif

TEST_F(LongRecording, ARecorderKilledAtAHundredInstantsLeavesAFileThatEveryMonitorReads) {
  const auto pathmap = market();
  Call application = start_market(pathmap);
  std::random_device seed;
  const auto chosen = seed();
  std::mt19937 chance(chosen);
  std::size_t with_events = 0;
  for (int instant = 0; instant < 100; ++instant) {
    Call record =
        start({"record", pathmap, "-o", file("run.evs"), "--force", "--interval", "1ms", "--state", "5ms"});
    ASSERT_TRUE(testing_commands::eventually([&] { return std::filesystem::exists(file("run.evs")); }))
        << record.err();
    std::this_thread::sleep_for(std::chrono::microseconds(chance() % 60'000));  // a random moment, not a wait
    record.signal(SIGKILL);
    record.status();
    Call info = call({"info", file("run.evs")});
    if (info.status() == 3) {  // it was killed before it had written its description
      EXPECT_THAT(info.err(), AnyOf(HasSubstr("the description of the recorded session is missing"),
                                    HasSubstr("is not a recording"), HasSubstr("are not the header")));
      std::filesystem::remove(file("run.evs"));
      continue;
    }
    ASSERT_EQ(info.status(), 0) << info.err() << " seed " << chosen;
    EXPECT_THAT(info.out(), HasSubstr("the recorder was killed"));
    Call events = call({"events", file("run.evs"), "--quiet", "--apart", "--format", "csv"});
    const std::size_t expected = events_in_info(info.out());
    EXPECT_EQ(events.status(), 0) << events.err();
    EXPECT_EQ(test::lines_of(events.out()).size(), expected + 1) << "seed " << chosen;
    with_events += expected > 0 ? 1 : 0;
    std::filesystem::remove(file("run.evs"));
  }
  stop(application, pathmap);
  EXPECT_GT(with_events, 10u) << "seed " << chosen;
}

}  // namespace
}  // namespace eventspace
