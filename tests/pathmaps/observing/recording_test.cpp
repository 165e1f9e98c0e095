#include <eventspace/recording.h>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/monitor.h>
#include "tests/pathmaps/observing/observed_pair.h"
#include "tests/pathmaps/observing/record_once.h"

// Recordings of a session in this process, as programs of users read them.
namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RecordingTest : public test::ObservedPair {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "run.evs"; }

  static std::vector<double> sequences(Recording::Reader reader) {
    std::vector<double> all;
    while (const auto events = reader.next())
      for (const Event& event : *events) all.push_back(event.number("sequence").value_or(-1));
    return all;
  }
};

TEST_F(RecordingTest, DescribesTheRun) {
  write("a", 1);
  test::record_once(file(), pathmap_);
  const Recording recording(file());
  EXPECT_TRUE(Recording::is_recording(file()));
  EXPECT_FALSE(Recording::is_recording(pathmap_));
  EXPECT_EQ(recording.session(), "observed");
  EXPECT_THAT(recording.pathmap(), HasSubstr("name: observed"));
  EXPECT_EQ(recording.ending(), "done");
  EXPECT_FALSE(recording.is_being_written());
  EXPECT_EQ(recording.loss(), Loss{});
  EXPECT_EQ(recording.damage().text, "");
  EXPECT_LT(recording.begin_ns(), recording.end_ns());
  const auto processes = recording.processes();
  ASSERT_THAT(processes, SizeIs(1));
  EXPECT_EQ(processes[0].name, "p");
  EXPECT_EQ(processes[0].node, "here");
  EXPECT_EQ(processes[0].state, "running");
}

TEST_F(RecordingTest, YieldsTheEventsOfARange) {
  for (int i = 0; i < 3; ++i) {
    write("a", 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  test::record_once(file(), pathmap_);
  const Recording recording(file());
  Recording::Reader reader = recording.events();
  const auto all = reader.next();
  ASSERT_TRUE(all);
  ASSERT_THAT(*all, SizeIs(3));
  EXPECT_FALSE(reader.next());
  const std::int64_t second = *(*all)[1].end_ns();
  const std::int64_t third = *(*all)[2].end_ns();
  // The times of a replay are on the recorder's clock, which differs a little from the process's.
  constexpr std::int64_t margin = 300'000;
  EXPECT_THAT(sequences(recording.events({.begin_ns = second - margin, .end_ns = third - margin})),
              ElementsAre(2));
  EXPECT_THAT(sequences(recording.events({.end_ns = second - margin})), ElementsAre(1));
  EXPECT_THAT(sequences(recording.events({.begin_ns = recording.end_ns() + 1})), IsEmpty());
}

TEST_F(RecordingTest, AFileOfAKilledRecorderIsReadToItsLastWholeChunk) {
  write("a", 3);
  test::record_once(file(), pathmap_, false);
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 10);
  const Recording recording(file());
  EXPECT_NE(recording.damage().text, "");
  EXPECT_TRUE(recording.damage().loses_more);
  EXPECT_EQ(recording.ending(), std::nullopt);
  EXPECT_EQ(recording.loss(), std::nullopt);
  EXPECT_THAT(sequences(recording.events()), ElementsAre(1, 2, 3));
}

TEST_F(RecordingTest, ItNeverLoadsSharedObjects) {
  write("a", 1);
  const std::string library = EVENTSPACE_PLUGINS "/odd_wrapper.so";
  test::record_once(file(), pathmap_, true, "wrappers: {odd: {library: " + library + "}}\n");
  const auto refusal = [this] {
    try {
      (void)Monitor::of_recording(file()).events();
    } catch (const ConfigurationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(), HasSubstr("which a recording may not name"));
  EXPECT_EQ(::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD), nullptr) << "it is loaded";
  EXPECT_THROW(Recording{file()}, ConfigurationError);
}

TEST_F(RecordingTest, OtherFilesAreRefused) {
  EXPECT_THROW(Recording{pathmap_}, EnvironmentError);
  EXPECT_THROW(Recording{directory_.path() / "none.evs"}, EnvironmentError);
}

}  // namespace
}  // namespace eventspace
