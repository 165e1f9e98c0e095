#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include <eventspace/error.h>
#include "scopes/recordings/chunk.h"
#include "scopes/recordings/recording_reader.h"
#include "scopes/recordings/recording_writer.h"
#include "tests/error_text.h"
#include "tests/scopes/scope_talk.h"
#include "tests/tuplespace/temporary_directory.h"

// Recordings as files: written data are read back, and damage of a file is detected.
namespace eventspace {
namespace {

using test::event;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t ms = 1'000'000;

using Octets = std::vector<char>;

class RecordingTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& name = "run.evs") const {
    return directory_.path() / name;
  }
  [[nodiscard]] RecordingWriter::Config config(const std::string& name = "run.evs") const {
    return {.file = file(name),
            .session = {"gas", "pathmap: 1\n", "n1", "0.1", 5 * ms, 1'000'000'000'000},
            .names = &names_,
            .collects = std::chrono::nanoseconds(0)};
  }

  // A view of the events of thread 1 in process 0, with a clock of nanoseconds.
  static View view_of(std::uint64_t first, std::uint64_t last) {
    View view;
    for (std::uint64_t i = first; i <= last; ++i) {
      view.records.push_back(event(i, i * 100, i * 100 + 50));
    }
    for (const std::uint32_t process : {0u, 4u}) view.processes.emplace_back().process = process;
    return view;
  }

  // Views of three events each, a state, and the end.
  void record(const RecordingWriter::Config& config) const {
    RecordingWriter writer(config);
    writer.add_events(view_of(1, 3), 10 * ms);
    View lossy = view_of(9, 11);
    lossy.loss.discarded = 5;
    lossy.names.push_back({OwnNameOf::probe, 12, "iteration"});
    writer.add_events(std::move(lossy), 20 * ms);
    View newest = view_of(11, 11);
    newest.records.push_back(event(12, 1200, 0));
    newest.processes[0].threads.push_back({.thread = 1, .tid = 5, .state = 'S', .cpu_ns = 3});
    writer.add_state(newest, 21 * ms);
    writer.add_events(view_of(12, 14), 30 * ms);
    writer.end({.reason = "stopped by a signal", .ended_ns = 31 * ms});
  }

  [[nodiscard]] Octets octets(const std::string& name = "run.evs") const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void store(const Octets& octets, const std::string& name = "other.evs") const {
    std::ofstream(file(name), std::ios::binary | std::ios::trunc)
        .write(octets.data(), static_cast<std::streamsize>(octets.size()));
  }

  // The numbers of all events, of chunks of events, in order; "-" for a chunk that is refused.
  static std::string told(const RecordingReader& reader) {
    std::string text;
    for (std::size_t i = 0; i < reader.chunks().size(); ++i) {
      if (reader.chunks()[i].kind != RecordingReader::Kind::events) continue;
      try {
        text += (text.empty() ? "" : " ") + test::told(reader.view(i));
      } catch (const EnvironmentError&) {
        text += (text.empty() ? "-" : " -");
      }
    }
    return text;
  }
  [[nodiscard]] std::string told(const std::string& name) const { return told(RecordingReader(file(name))); }

  [[nodiscard]] std::string refusal(const std::string& name) const {
    return test::error_text<EnvironmentError>([&] { const RecordingReader reader(file(name)); });
  }

  // Where the headers of the chunks begin.
  [[nodiscard]] static std::vector<std::size_t> chunk_starts(const Octets& octets) {
    const auto bytes = std::as_bytes(std::span(octets));
    std::vector<std::size_t> starts;
    for (std::size_t at = recording::FileHeader::bytes; at < bytes.size();) {
      const auto header = recording::decode_chunk_header(bytes.subspan(at));
      if (!header) break;
      starts.push_back(at);
      at += recording::length_of(*header);
    }
    return starts;
  }

  test::PlainNames names_;
  test::TemporaryDirectory directory_;
};

TEST_F(RecordingTest, WhatIsWrittenIsRead) {
  record(config());
  const RecordingReader reader(file());
  EXPECT_EQ(reader.session(), config().session);
  EXPECT_EQ(told(reader), "1 2 3 9 10 11 12 13 14");
  ASSERT_EQ(reader.chunks().size(), 4u);
  EXPECT_EQ(reader.view(1).loss.discarded, 5u);
  const View state = reader.view(2);
  EXPECT_EQ(reader.chunks()[2].kind, RecordingReader::Kind::state);
  EXPECT_EQ(test::told(state), "11 12*");
  EXPECT_EQ(state.processes.at(0).threads.at(0).state, 'S');
  EXPECT_THAT(reader.names(), ElementsAre(OwnName{OwnNameOf::probe, 12, "iteration"}));
  ASSERT_TRUE(reader.end());
  EXPECT_EQ(reader.end()->reason, "stopped by a signal");
  EXPECT_EQ(reader.end()->events, 9u);
  EXPECT_EQ(reader.end()->loss.discarded, 5u);
  EXPECT_FALSE(reader.damage().any());
}

TEST_F(RecordingTest, AChunkSaysWhenItsEventsWereAndHasOnlyTheProcessesOfItsEvents) {
  record(config());
  const RecordingReader reader(file());
  EXPECT_EQ(reader.chunks()[0].first_ns, 100);
  EXPECT_EQ(reader.chunks()[0].last_ns, 350);
  EXPECT_EQ(reader.chunks()[0].read_ns, 10 * ms);
  EXPECT_EQ(reader.view(0).processes.size(), 1u);
  EXPECT_EQ(reader.view(2).processes.size(), 2u) << "a state has all";
}

TEST_F(RecordingTest, TheFileIsForItsOwnerOnly) {
  record(config());
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(RecordingTest, SmallViewsShareAChunkUntilTheirTimeIsOver) {
  auto with_pause = config();
  with_pause.collects = std::chrono::milliseconds(100);
  RecordingWriter writer(with_pause);
  for (std::uint64_t i = 0; i < 20; ++i)
    writer.add_events(view_of(i + 1, i + 1), static_cast<std::int64_t>(i) * 10 * ms);
  writer.end({.reason = "end"});
  const RecordingReader reader(file());
  EXPECT_EQ(reader.chunks().size(), 2u);
  EXPECT_EQ(reader.end()->events, 20u);
}

TEST_F(RecordingTest, ALargeViewIsWrittenInSeveralChunksWithItsLossesOnce) {
  RecordingWriter writer(config());
  View large = view_of(1, 150'000);
  large.loss.discarded = 7;
  writer.add_events(std::move(large), ms);
  writer.end({.reason = "end"});
  const RecordingReader reader(file());
  ASSERT_EQ(reader.chunks().size(), 16u) << "one is not most of the file";
  Loss loss;
  std::uint64_t next = 1;
  for (std::size_t i = 0; i < reader.chunks().size(); ++i) {
    const View view = reader.view(i);
    loss += view.loss;
    for (const TraceTuple& record : view.records) EXPECT_EQ(record.words[0], next++);
  }
  EXPECT_EQ(next, 150'001u);
  EXPECT_EQ(loss.discarded, 7u);
  EXPECT_LT(reader.bytes(), 150'000u * 4) << "regular events take few bytes";
}

TEST_F(RecordingTest, OfAKilledRecorderEachWholeChunkIsReadAndItsMissingEndIsSaid) {
  record(config());
  const Octets whole = octets();
  const auto starts = chunk_starts(whole);
  ASSERT_EQ(starts.size(), 9u)
      << "description, events, names, events, state, events, description, end, index";
  std::vector<std::size_t> bodies;  // their ends: bytes after them are for repair
  std::vector<std::size_t> ends;
  for (const std::size_t at : starts) {
    const auto header = recording::decode_chunk_header(std::as_bytes(std::span(whole)).subspan(at));
    ASSERT_TRUE(header);
    bodies.push_back(at + recording::ChunkHeader::bytes + header->stored);
    ends.push_back(at + recording::length_of(*header));
  }
  const std::string first = "1 2 3";
  const std::string two = "1 2 3 9 10 11";
  const std::string all = "1 2 3 9 10 11 12 13 14";
  const std::vector<std::string> readable{"", first, first, two, two, all, all, all, all};
  for (std::size_t size = 0; size < whole.size(); ++size) {
    store(Octets(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    const auto chunks = static_cast<std::size_t>(std::ranges::upper_bound(bodies, size) - bodies.begin());
    if (chunks == 0) {
      EXPECT_NE(refusal("other.evs"), "") << size;
      continue;
    }
    const RecordingReader reader(file("other.evs"));
    EXPECT_EQ(told(reader), readable[chunks - 1]) << size;
    EXPECT_EQ(reader.damage().ends_early, chunks < 8) << size;
    EXPECT_EQ(reader.damage().cut, chunks == 9 ? 0 : size - std::min(size, ends[chunks - 1])) << size;
    EXPECT_EQ(reader.damage().damaged, 0u) << size;
    EXPECT_NE(reader.damage_in_words() == "", reader.damage().any()) << size;
  }
}

TEST_F(RecordingTest, ADamagedByteIsRepairedAndSaidWhereverItIs) {
  record(config());
  const Octets whole = octets();
  const RecordingReader before(file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    Octets flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    store(flipped);
    const RecordingReader reader(file("other.evs"));
    ASSERT_EQ(told(reader), "1 2 3 9 10 11 12 13 14") << at;
    EXPECT_EQ(reader.session(), before.session()) << at;
    EXPECT_EQ(reader.names(), before.names()) << at;
    EXPECT_EQ(reader.end(), before.end()) << at;
    EXPECT_EQ(reader.damage().repaired, 1u) << at;
    EXPECT_FALSE(reader.damage().is_lossy()) << at << ": " << reader.damage_in_words();
    EXPECT_THAT(reader.damage_in_words(), HasSubstr("1 place was damaged and repaired")) << at;
    EXPECT_TRUE(is_recording(file("other.evs"))) << at;
  }
}

TEST_F(RecordingTest, ChunksThatCameTwiceOrOutOfOrderAreLeftOutAndCounted) {
  record(config());
  const Octets whole = octets();
  const auto starts = chunk_starts(whole);
  const auto piece = [&](std::size_t from, std::size_t to) {
    return Octets(whole.begin() + static_cast<std::ptrdiff_t>(starts[from]),
                  whole.begin() + static_cast<std::ptrdiff_t>(starts[to]));
  };
  const auto with = [&](const std::vector<Octets>& pieces) {
    Octets made(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(starts[1]));
    for (const Octets& one : pieces) made.insert(made.end(), one.begin(), one.end());
    store(made);
    return RecordingReader(file("other.evs"));
  };
  const RecordingReader twice = with({piece(1, 2), piece(1, 2), piece(2, 8)});
  EXPECT_EQ(told(twice), "1 2 3 9 10 11 12 13 14");
  const auto found = [](const RecordingReader& reader) {
    return std::pair(reader.damage().repeated, reader.damage().missing);
  };
  EXPECT_EQ(found(twice), std::pair(1ul, 0ul));
  const RecordingReader reordered = with({piece(5, 6), piece(1, 5), piece(6, 8)});
  EXPECT_EQ(told(reordered), "- 12 13 14") << "some are missing in front";
  EXPECT_EQ(found(reordered), std::pair(4ul, 4ul));
  const RecordingReader without = with({piece(1, 2), piece(5, 8)});
  EXPECT_EQ(told(without), "1 2 3 - 12 13 14");
  EXPECT_EQ(found(without), std::pair(0ul, 3ul));
  EXPECT_TRUE(without.damage().has_unknown_losses);
  EXPECT_THAT(without.damage_in_words(), HasSubstr("3 chunks are missing"));
}

TEST_F(RecordingTest, SaysWhatAFileIsThatIsNoRecording) {
  EXPECT_THAT(refusal("none"), HasSubstr("cannot open"));
  store({}, "empty");
  EXPECT_THAT(refusal("empty"), HasSubstr("is not a recording"));
  std::filesystem::create_directory(file("directory"));
  EXPECT_THAT(refusal("directory"), HasSubstr("is not a regular file"));
  record(config());
  Octets other = octets();
  const auto ninth = recording::encode(recording::FileHeader{.version = 9, .file = 7});
  std::memcpy(other.data(), ninth.data(), ninth.size());
  store(other);
  EXPECT_THAT(refusal("other.evs"), HasSubstr("has version 9 of the format"));
  EXPECT_TRUE(is_recording(file("other.evs")));
  EXPECT_FALSE(is_recording(file("empty")));
  EXPECT_FALSE(is_recording(file("directory")));
}

TEST_F(RecordingTest, TwoRecordersDoNotWriteOneFile) {
  auto replacing = config();
  replacing.replaces = true;
  {
    const RecordingWriter writer(config());
    EXPECT_THROW(RecordingWriter{config()}, EnvironmentError) << "the file exists";
    EXPECT_THROW(RecordingWriter{replacing}, EnvironmentError) << "and is being written";
    EXPECT_TRUE(RecordingReader(file()).is_being_written());
  }
  EXPECT_FALSE(RecordingReader(file()).is_being_written());
  EXPECT_THROW(RecordingWriter{config()}, EnvironmentError) << "it is not replaced unasked";
  record(replacing);
  EXPECT_EQ(told("run.evs"), "1 2 3 9 10 11 12 13 14");
}

/// Simulates a full disk: the files of the process cannot grow beyond `bytes` while this object lives.
class FullDisk {
 public:
  explicit FullDisk(std::size_t bytes) : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST_F(RecordingTest, AFullDiskLeavesAFileThatEndsWithAWholeChunk) {
  record(config());
  // Another recording has other times, and may be some bytes shorter.
  const std::size_t least = octets().size() - 64;
  for (std::size_t room = 0; room < least; room += 7) {
    auto again = config("full.evs");
    again.replaces = true;
    std::string why;
    {
      const FullDisk disk(room);
      try {
        record(again);
      } catch (const EnvironmentError& error) {
        why = error.what();
      }
    }
    EXPECT_THAT(why, HasSubstr("cannot write")) << room;
    if (!refusal("full.evs").empty()) {
      EXPECT_LT(octets("full.evs").size(), recording::FileHeader::bytes + 200) << "no room for its beginning";
      continue;
    }
    const RecordingReader reader(file("full.evs"));
    EXPECT_EQ(reader.damage().is_lossy(), !reader.end()) << room;
    EXPECT_EQ(reader.damage().cut, 0u) << room;
    EXPECT_TRUE(std::string("1 2 3 9 10 11 12 13 14").starts_with(told(reader))) << room;
  }
}

}  // namespace
}  // namespace eventspace
