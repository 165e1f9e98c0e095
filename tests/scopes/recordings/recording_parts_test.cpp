#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>

#include "tests/scopes/recordings/recorded.h"
#include "tuplespace/system/mapping.h"

// Recordings in parts: when another file begins, and how the files are read as one.
namespace eventspace::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RecordingParts : public Recorded {
 protected:
  // Four rounds of an event and a state, at intervals of `apart`.
  void record(RecordingWriter::Config config, std::int64_t apart = 10 * ms) const {
    RecordingWriter writer(config);
    for (std::uint64_t i = 1; i <= 4; ++i) {
      const auto now = static_cast<std::int64_t>(i) * apart;
      const auto at = static_cast<std::uint64_t>(now);
      View view = view_of({event(i, at - 10, at - 5)});
      view.loss.discarded = 1;
      if (i == 1) view.names.push_back({OwnNameOf::probe, 12, "iteration"});
      writer.add_events(std::move(view), now);
      writer.add_state(view_of({event(i, at - 10, at - 5)}), now + 1);
    }
    writer.end({.reason = "stopped by a signal", .ended_ns = 5 * apart});
  }
  [[nodiscard]] RecordingWriter::Config in_parts(std::uint32_t keep = 0) const {
    auto parts = config();
    parts.rotation = {.age = std::chrono::milliseconds(15), .keep = keep};
    return parts;
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(RecordingParts, APartBeginsWithAStateWhenTheOneBeforeIsOldAndAllAreReadAsOne) {
  record(in_parts());
  EXPECT_THAT(files(), ElementsAre("run.0001.evs", "run.0002.evs", "run.0003.evs"));
  EXPECT_TRUE(is_recording(file()));
  const RecordingReader reader(file());
  EXPECT_EQ(told(reader), "1 2 3 4");
  EXPECT_EQ(reader.files().size(), 3u);
  EXPECT_FALSE(reader.damage().any()) << reader.damage_in_words();
  ASSERT_TRUE(reader.end());
  EXPECT_EQ(reader.end()->reason, "stopped by a signal");
  EXPECT_EQ(reader.end()->events, 4u);
  EXPECT_EQ(reader.end()->loss.discarded, 4u);
  EXPECT_EQ(reader.session().begun_ns, 0);
}

TEST_F(RecordingParts, APartAloneIsARecordingWithItsStateAndTheNamesFromBefore) {
  record(in_parts());
  const RecordingReader second(file("run.0002.evs"));
  EXPECT_EQ(told(second), "3 4");
  EXPECT_EQ(second.chunks().front().kind, RecordingReader::Kind::state);
  EXPECT_THAT(second.names(), ElementsAre(OwnName{OwnNameOf::probe, 12, "iteration"}));
  EXPECT_EQ(second.session().begun_ns, 20 * ms + 1);
  EXPECT_EQ(RecordingReader(file("run.0001.evs")).end()->reason, "goes on in run.0002.evs");
}

TEST_F(RecordingParts, APartBeginsWhenTheOneBeforeIsLarge) {
  auto by_size = config();
  by_size.rotation = {.bytes = 1};
  record(by_size);
  EXPECT_EQ(files().size(), 5u) << "one for each state";
  EXPECT_EQ(told(), "1 2 3 4");
  std::uint64_t bytes = 0;
  for (const std::string& name : files()) bytes += std::filesystem::file_size(file(name));
  EXPECT_EQ(RecordingReader(file()).bytes(), bytes);
}

TEST_F(RecordingParts, OnlyTheNewestAreKeptIfAskedFor) {
  auto by_size = config();
  by_size.rotation = {.bytes = 1, .keep = 2};
  record(by_size);
  EXPECT_THAT(files(), ElementsAre("run.0004.evs", "run.0005.evs"));
  const RecordingReader reader(file());
  EXPECT_EQ(told(reader), "4");
  EXPECT_FALSE(reader.damage().any()) << "parts that were removed on purpose are no damage";
}

TEST_F(RecordingParts, APartThatIsMissingOrDamagedCostsItsEventsAndIsCounted) {
  auto by_size = config();
  by_size.rotation = {.bytes = 1};
  record(by_size);
  std::filesystem::remove(file("run.0002.evs"));
  store("no recording any more", "run.0004.evs");
  const RecordingReader reader(file());
  EXPECT_EQ(told(reader), "1 3");
  EXPECT_EQ(reader.damage().parts, 2u);
  EXPECT_THAT(reader.damage_in_words(), HasSubstr("2 parts are missing or cannot be read"));
}

TEST_F(RecordingParts, FilesOfTwoRecordingsAreNotReadAsOne) {
  record(in_parts());
  std::filesystem::create_directory(file("other"));
  auto other = in_parts();
  other.file = file("other/run.evs");
  record(other);
  std::filesystem::copy_file(file("other/run.0002.evs"), file("run.0002.evs"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(refusal([&] { const RecordingReader reader(file()); }),
              HasSubstr("run.0002.evs is not a part of the recording of"));
  EXPECT_EQ(told("run.0002.evs"), "3 4") << "alone it is read";
}

TEST_F(RecordingParts, PartsOfAnEarlierRecordingAreReplacedAllOrNone) {
  record(in_parts());
  auto again = in_parts();
  EXPECT_THAT(refusal([&] { const RecordingWriter writer(again); }),
              HasSubstr("run.0001.evs exists, a part of an earlier recording"));
  again.replaces = true;
  record(again, 1 * ms);
  EXPECT_THAT(files(), ElementsAre("run.0001.evs")) << "the second part of before is gone";
}

TEST_F(RecordingParts, NoPartIsReplacedIfOneIsBeingWritten) {
  record(in_parts());
  const auto before = files();
  const FileHandle last(::open(file("run.0003.evs").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(last.get(), LOCK_EX | LOCK_NB), 0);
  auto again = in_parts();
  again.replaces = true;
  EXPECT_THAT(refusal([&] { const RecordingWriter writer(again); }),
              HasSubstr("run.0003.evs is being written by another process"));
  EXPECT_EQ(files(), before);
}

TEST_F(RecordingParts, AFileThatWouldHideThePartsIsRefusedOrReplaced) {
  store("a recording of before", "run.evs");
  auto parts = in_parts();
  EXPECT_THAT(refusal([&] { const RecordingWriter writer(parts); }),
              HasSubstr("run.evs exists, and would be read instead of the parts"));
  EXPECT_THAT(files(), ElementsAre("run.evs"));
  parts.replaces = true;
  record(parts);
  EXPECT_THAT(files(), ElementsAre("run.0001.evs", "run.0002.evs", "run.0003.evs"));
}

TEST_F(RecordingParts, ALastPartThatCannotBeReadIsCountedAndLeavesNoEnd) {
  record(in_parts());
  store("no recording any more", "run.0003.evs");
  const RecordingReader reader(file());
  EXPECT_EQ(reader.files().size(), 2u);
  EXPECT_EQ(reader.damage().parts, 1u);
  EXPECT_FALSE(reader.end()) << "that of the second part says only where it goes on";
}

}  // namespace
}  // namespace eventspace::test
