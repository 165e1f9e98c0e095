#include <gmock/gmock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <random>

#include "scopes/recordings/chunk.h"
#include "scopes/recordings/replay.h"
#include "tests/scopes/recordings/recorded.h"

// Faults of a recorder, and of the processes that it records.
namespace eventspace::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RecordingFaults : public Recorded {
 protected:
  // The numbers from 1 on, in the format of told().
  static std::string counted_to(std::size_t last) {
    std::string text;
    for (std::size_t i = 1; i <= last; ++i) text += (text.empty() ? "" : " ") + std::to_string(i);
    return text;
  }
  static View one(std::uint64_t i) { return view_of({event(i, i * 100, i * 100 + 50)}); }

  // Waits until the file has this size.
  [[nodiscard]] bool grows_to(std::uintmax_t size) const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < limit) {
      std::error_code error;
      if (std::filesystem::file_size(file(), error) >= size && !error) return true;
      ::sched_yield();
    }
    return false;
  }

  // Writes chunks of one event each.
  void write_events(const RecordingWriter::Config& config, std::uint64_t last) const {
    RecordingWriter writer(config);
    for (std::uint64_t i = 1; i <= last; ++i) writer.add_events(one(i), static_cast<std::int64_t>(i) * 1000);
    writer.end({.reason = "end"});
  }
};

TEST_F(RecordingFaults, ARecorderKilledAtAHundredInstantsLeavesAFileToItsLastWholeChunk) {
  std::mt19937 chance(20261124);
  std::size_t most = 0;
  for (int instant = 0; instant < 100; ++instant) {
    auto killed = config();
    killed.replaces = true;
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      write_events(killed, 1'000'000);
      ::_exit(1);
    }
    // At any byte of the first chunks, and between their stages.
    const std::uintmax_t size = 400 + chance() % 12'000;
    ASSERT_TRUE(grows_to(size));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const RecordingReader reader(file());
    EXPECT_FALSE(reader.end());
    EXPECT_EQ(told(reader), counted_to(reader.chunks().size())) << instant;
    EXPECT_EQ(reader.damage(), (RecordingReader::Damage{.cut = reader.damage().cut, .ends_early = true}))
        << instant;
    most = std::max(most, reader.chunks().size());
    std::filesystem::remove(file());
  }
  EXPECT_GT(most, 30u);
}

TEST_F(RecordingFaults, ADiskThatIsFullAtAChunksBoundaryOrInItsMiddleCostsThatChunk) {
  write_events(config("whole.evs"), 5);
  const std::string whole = octets("whole.evs");
  const auto bytes = std::as_bytes(std::span(whole));
  std::size_t chunks = 0;
  for (std::size_t at = recording::FileHeader::bytes; at < bytes.size();) {
    const auto header = recording::decode_chunk_header(bytes.subspan(at));
    if (!header) break;
    const std::size_t length = recording::length_of(*header);
    // Room for nothing, for a part of its header, for only its header, and for its header and half of its
    // body. (Times make the chunks of another recording some bytes longer or shorter.)
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, recording::ChunkHeader::bytes,
                                   recording::ChunkHeader::bytes + header->stored / 2}) {
      auto full = config("full.evs");
      full.replaces = true;
      rlimit before{};
      ::getrlimit(RLIMIT_FSIZE, &before);
      const rlimit limit{at + room, before.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const std::string why = refusal([&] { write_events(full, 5); });
      ::setrlimit(RLIMIT_FSIZE, &before);
      EXPECT_THAT(why, HasSubstr("cannot write")) << at + room;
      const std::size_t size = std::filesystem::file_size(file("full.evs"));
      EXPECT_LE(size, at + room);
      if (size <= recording::FileHeader::bytes) continue;  // not even the description
      const RecordingReader reader(file("full.evs"));
      EXPECT_EQ(reader.damage().is_lossy(), chunks < 8) << at + room << ": it ends with a whole chunk";
      EXPECT_EQ(reader.damage().cut, 0u) << at + room;
      const auto kept =
          std::ranges::count(reader.chunks(), RecordingReader::Kind::events, &RecordingReader::Chunk::kind);
      EXPECT_EQ(told("full.evs"), counted_to(static_cast<std::size_t>(kept)));
      EXPECT_LE(std::abs(static_cast<long>(kept) - static_cast<long>(std::min<std::size_t>(chunks - 1, 5))),
                1);
    }
    ++chunks;
    at += length;
  }
  EXPECT_EQ(chunks, 9u) << "description, five of events, description, end, index";
}

TEST_F(RecordingFaults, FilesOfOtherVersionsAndByteOrdersAreRefusedAndSayWhich) {
  write_events(config(), 2);
  const std::string whole = octets("run.evs");
  const auto why = [&](std::uint32_t version) {
    std::string other = whole;
    const auto header = recording::encode(recording::FileHeader{.version = version, .file = 1});
    std::memcpy(other.data(), header.data(), header.size());
    store(other, "other.evs");
    return refusal([&] { const RecordingReader reader(file("other.evs")); });
  };
  EXPECT_THAT(why(1),
              HasSubstr("has version 1 of the format of recordings; this program reads versions 2 and 3"));
  EXPECT_THAT(why(4), HasSubstr("has version 4"));
  EXPECT_THAT(why(0x3000000), HasSubstr("has version 50331648"))
      << "the version of a file with big-endian numbers";
}

TEST_F(RecordingFaults, ThreeRunsOneAfterTheOtherAreThree) {
  {
    RecordingWriter writer(config());
    for (std::int64_t run = 0; run < 3; ++run) {
      for (std::uint64_t i = 1; i <= 2; ++i) {
        const auto at = static_cast<std::uint64_t>(run) * 1000 + i * 100;
        View view = view_of({event(i, at, at + 50)});  // numbers restart
        view.processes[0].pid = 80 + static_cast<std::int32_t>(run);
        view.processes[0].start_ticks = static_cast<std::uint64_t>(run);
        if (i == 2 && run < 2) view.processes[0].state = RunState::ended;
        writer.add_state(view, static_cast<std::int64_t>(at) + 60);
        writer.add_events(std::move(view), static_cast<std::int64_t>(at) + 70);
      }
    }
    writer.end({.reason = "end"});
  }
  EXPECT_EQ(told(), "1 2 1 2 1 2");
  Replay replay(RecordingReader(file()), names_, {});
  const auto at = [&](std::int64_t now) {
    replay.set_now_ns(now);
    const auto newest = replay.newest();
    return test::told(*newest) + " of " + std::to_string(newest->processes.at(0).pid);
  };
  EXPECT_EQ(at(180), "1 of 80");
  EXPECT_EQ(at(900), "2 of 80");
  EXPECT_EQ(at(1180), "1 of 81");
  EXPECT_EQ(at(2900), "2 of 82");
  EXPECT_EQ(at(300), "2 of 80") << "time can be set back to an earlier run";
}

TEST_F(RecordingFaults, ProcessesThatCameAndWentAreThereWhileTheyWere) {
  {
    RecordingWriter writer(config());
    writer.add_state(view_of({event(1, 10, 20, 1)}, {0}), 100);
    writer.add_state(view_of({event(1, 10, 20, 1), event(1, 110, 120, 11)}, {0, 1}), 200);
    writer.add_state(view_of({event(1, 110, 120, 11)}, {1}), 300);
    writer.end({.reason = "end"});
  }
  Replay replay(RecordingReader(file()), names_, {});
  const auto processes = [&](std::int64_t now) {
    replay.set_now_ns(now);
    std::string text;
    for (const ProcessReport& process : replay.newest()->processes) text += std::to_string(process.process);
    return text;
  };
  EXPECT_THAT(processes(101), StartsWith("0"));
  EXPECT_EQ(processes(201), "01");
  EXPECT_EQ(processes(301), "1");
}

TEST_F(RecordingFaults, ClocksThatJumpKeepTheOrderInWhichEventsWereRead) {
  {
    RecordingWriter writer(config());
    View before = one(1);
    View after = view_of({event(2, 200, 250)});
    after.processes[0].relation.offset_ns = -1'000'000;  // the clock on the way was set back
    after.processes[0].relation.jumps = 1;
    after.processes[0].relation.error_ns = 5;
    writer.add_events(std::move(before), 1000);
    writer.add_events(std::move(after), 900);  // and so was the recorder's
    writer.add_events(one(3), 2000);
    writer.end({.reason = "end"});
  }
  const RecordingReader reader(file());
  EXPECT_EQ(told(reader), "1 2 3");
  EXPECT_FALSE(reader.damage().any());
  EXPECT_EQ(reader.chunks()[1].first_ns, 200 - 1'000'000);
  EXPECT_EQ(reader.chunks()[1].read_ns, 1000) << "never before the chunk before";
  EXPECT_EQ(reader.view(1).processes.at(0).relation.jumps, 1u);
  EXPECT_GE(reader.view(1).processes.at(0).here(200).error_ns.value_or(0), 5);
}

TEST_F(RecordingFaults, NamesOfAnyCharactersComeBackAsTheyWere) {
  const std::vector<std::string> odd{"\"quoted\" 'twice'", "two\nlines\tand\rmore",
                                     "grün 漢字 🙂",  std::string("\x00\x01\x1b[31m", 7),
                                     "back\\slash,comma;", ""};
  {
    auto named = config();
    named.session.session = odd[0];
    named.session.node = odd[2];
    RecordingWriter writer(named);
    View view = one(1);
    for (std::uint32_t i = 0; i < odd.size(); ++i) view.names.push_back({OwnNameOf::thread, i, odd[i]});
    writer.add_events(std::move(view), 1000);
    writer.end({.reason = odd[1]});
  }
  const RecordingReader reader(file());
  ASSERT_EQ(reader.names().size(), odd.size());
  for (std::size_t i = 0; i < odd.size(); ++i) EXPECT_EQ(reader.names()[i].text, odd[i]);
  EXPECT_EQ(reader.session().session, odd[0]);
  EXPECT_EQ(reader.session().node, odd[2]);
  EXPECT_EQ(reader.end()->reason, odd[1]);
}

}  // namespace
}  // namespace eventspace::test
