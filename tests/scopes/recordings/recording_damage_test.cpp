#include "scopes/recordings/recording_damage.h"

#include <gmock/gmock.h>

#include <random>

#include "scopes/recordings/chunk.h"
#include "scopes/recordings/recording_format.h"
#include "scopes/recordings/replay.h"
#include "tests/scopes/recordings/recorded.h"

// Recordings whose bytes are changed or cut off.
namespace eventspace::test {
namespace {

using recording::ChunkHeader;
using recording::ChunkKind;
using recording::FileHeader;
using testing::HasSubstr;

constexpr std::uint64_t all_events = 10'000;

class DamagedRecording : public Recorded {
 protected:
  // Ten thousand events of four threads, with names, states and an end.
  [[nodiscard]] std::string ten_thousand() {
    auto of_a_second = config();
    of_a_second.collects = std::chrono::seconds(1);
    {
      RecordingWriter writer(of_a_second);
      std::mt19937_64 chance(20261127);
      for (std::uint64_t i = 0; i < all_events; i += 100) {
        std::vector<TraceTuple> records;
        for (std::uint64_t n = i; n < i + 100; ++n) {
          records.push_back(event(n / 4 + 1, n * 1000, n * 1000 + chance() % 900, 1 + n % 4));
          records.back().words[6] = chance() % 100'000;
        }
        View view = view_of(std::move(records));
        if (i == 0) view.names.push_back({OwnNameOf::probe, 3, "step"});
        const auto now = static_cast<std::int64_t>(i + 100) * 1000;
        writer.add_events(std::move(view), now);
        if (i % 2000 == 0) writer.add_state(view_of({event(i / 4 + 25, i * 1000, i * 1000 + 50)}), now);
      }
      writer.end({.reason = "end", .ended_ns = 10'000'000});
    }
    return octets("run.evs");
  }

  struct Read {
    std::uint64_t events{0};
    bool all_right{true};  ///< each event is one of the written events, in their order
    RecordingDamage damage;
  };
  [[nodiscard]] Read read(const std::string& changed) {
    store(changed, "other.evs");
    RecordingReader reader(file("other.evs"));
    Read found{.damage = reader.damage()};
    std::int64_t last = -1;
    const std::size_t chunks = reader.chunks().size();
    Replay replay(std::move(reader), names_, {});
    for (std::size_t i = 0; i < chunks; ++i) {
      const auto view = replay.chunk(i);
      if (replay.recording().chunks()[i].kind != RecordingReader::Kind::events) continue;
      found.events += view->records.size();
      for (const TraceTuple& record : view->records) {
        const auto start = static_cast<std::int64_t>(record.words[1]);
        found.all_right = found.all_right && start > last && start % 1000 == 0 && start < 10'000'000;
        last = start;
      }
    }
    replay.set_now_ns(replay.end_ns());
    (void)replay.newest();
    return found;
  }
};

TEST_F(DamagedRecording, AFlippedByteOfAFileOfTenThousandEventsCostsNothingAndIsSaid) {
  const std::string whole = ten_thousand();
  std::mt19937 chance(7);
  for (int round = 0; round < 400; ++round) {
    std::string flipped = whole;
    const std::size_t at = chance() % whole.size();
    flipped[at] = static_cast<char>(flipped[at] ^ static_cast<char>(1 + chance() % 255));
    const Read found = read(flipped);
    ASSERT_EQ(found.events, all_events) << at;
    EXPECT_TRUE(found.all_right) << at;
    EXPECT_EQ(found.damage.repaired, 1u) << at;
    EXPECT_FALSE(found.damage.is_lossy()) << at;
  }
}

TEST_F(DamagedRecording, LongerDamageCostsTheChunksThatItTouchesAndTheirEventsAreCounted) {
  const std::string whole = ten_thousand();
  std::mt19937 chance(8);
  std::uint64_t max_lost = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole;
    const std::size_t length = 1 + chance() % 4096;
    const std::size_t at = 4096 + chance() % (whole.size() - 4096);
    for (std::size_t i = at; i < std::min(at + length, whole.size()); ++i)
      damaged[i] = round % 2 == 0 ? '\0' : static_cast<char>(chance());
    const Read found = read(damaged);
    EXPECT_TRUE(found.all_right) << at;
    EXPECT_TRUE(found.damage.has_bad_bytes() || found.damage.cut > 0) << at << ' ' << length;
    const std::uint64_t lost = all_events - found.events;
    if (found.damage.has_unknown_losses || found.damage.ends_early) {
      EXPECT_LE(found.damage.records, lost) << at << ' ' << length;
    } else {
      EXPECT_EQ(found.damage.records, lost) << at << ' ' << length;
    }
    max_lost = std::max(max_lost, lost);
  }
  EXPECT_LE(max_lost, 3 * 2300u) << "three chunks, of about 2048";
}

TEST_F(DamagedRecording, AFileThatIsCutAnywhereSaysSo) {
  const std::string whole = ten_thousand();
  std::uint64_t before = 0;
  for (std::size_t size = 0; size < whole.size(); size += 1 + size % 97) {
    try {
      const Read found = read(whole.substr(0, size));
      EXPECT_TRUE(found.all_right) << size;
      EXPECT_TRUE(found.damage.any()) << size;
      EXPECT_EQ(found.damage.damaged, 0u) << size;
      EXPECT_GE(found.events, before) << size;
      EXPECT_TRUE(found.damage.ends_early || found.events == all_events) << size;
      before = found.events;
    } catch (const EnvironmentError& error) {
      EXPECT_LT(size, 700u) << error.what();
    }
  }
  EXPECT_EQ(before, all_events);
}

TEST_F(DamagedRecording, SaysWhereWhenAndHowManyEventsCannotBeRead) {
  const std::string whole = ten_thousand();
  const auto bytes = std::as_bytes(std::span(whole));
  std::size_t at = FileHeader::bytes;
  std::optional<ChunkHeader> header;
  for (int of_events = 0; of_events < 2; at += recording::length_of(*header)) {
    header = recording::decode_chunk_header(bytes.subspan(at));
    ASSERT_TRUE(header);
    if (header->kind == ChunkKind::events && ++of_events == 2) break;
  }
  std::string damaged = whole;
  for (std::size_t i = 0; i < header->stored; ++i) damaged[at + ChunkHeader::bytes + i] = '\0';
  const Read found = read(damaged);
  EXPECT_EQ(found.events, all_events - header->records);
  EXPECT_EQ(found.damage.records, header->records);
  ASSERT_EQ(found.damage.places.size(), 1u);
  const DamagedPlace& place = found.damage.places.front();
  EXPECT_EQ(place.at, at);
  EXPECT_EQ(place.bytes, recording::length_of(*header));
  EXPECT_EQ(place.first_ns, header->first_ns);
  EXPECT_EQ(place.last_ns, header->last_ns);
  EXPECT_THAT(in_words(found.damage, 0),
              HasSubstr(std::to_string(place.bytes) + " bytes at byte " + std::to_string(at) + " (" +
                        std::to_string(header->records) + " records were there, from 0.0"));
  Replay replay(RecordingReader(file("other.evs")), names_, {});
  std::uint64_t torn = 0;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < replay.recording().chunks().size(); ++i) {
    torn += replay.chunk(i)->loss.torn;
    missing += replay.chunk(i)->missing.size();
  }
  EXPECT_EQ(torn, header->records) << "as records that are refused as damaged";
  EXPECT_EQ(missing, 1u);
}

TEST_F(DamagedRecording, TheFirstPageMayBeGone) {
  auto large = config();
  large.collects = std::chrono::seconds(1);
  {
    RecordingWriter writer(large);
    std::mt19937_64 chance(1);
    for (std::uint64_t i = 1; i <= 60'000; ++i) {
      TraceTuple record = event(i, i * 1000, i * 1000 + 50);
      record.words[6] = chance();
      writer.add_events(view_of({record}), static_cast<std::int64_t>(i) * 1000);
      if (i % 20'000 == 0) writer.add_state(view_of({record}), static_cast<std::int64_t>(i) * 1000);
    }
    // The recorder is killed, so the end is missing.
  }
  std::string damaged = octets("run.evs");
  std::fill_n(damaged.begin(), 4096, '\0');
  store(damaged, "other.evs");
  EXPECT_TRUE(is_recording(file("other.evs")));
  const RecordingReader reader(file("other.evs"));
  EXPECT_EQ(reader.session(), large.session);
  EXPECT_TRUE(reader.damage().is_lossy());
  EXPECT_GT(reader.chunks().size(), 5u);
}

TEST_F(DamagedRecording, AFileOfVersionTwoIsRead) {
  const std::string whole = ten_thousand();
  const auto bytes = std::as_bytes(std::span(whole));
  const auto file_header = recording::decode_file_header(bytes);
  ASSERT_TRUE(file_header);
  std::string old;
  const auto append = [&old](Bytes some) {
    old.append(reinterpret_cast<const char*>(some.data()), some.size());
  };
  append(recording::encode(FileHeader{.version = 2, .file = file_header->file, .created_ns = 5}));
  for (std::size_t at = FileHeader::bytes; at + ChunkHeader::bytes < bytes.size();) {
    auto header = recording::decode_chunk_header(bytes.subspan(at));
    ASSERT_TRUE(header);
    const std::uint64_t length = recording::length_of(*header);
    if (header->kind == ChunkKind::index) break;
    header->pieces = 0;
    header->body_sum = 0;
    append(recording::encode(*header));
    append(bytes.subspan(at + ChunkHeader::bytes, header->stored));
    at += length;
  }
  const Read found = read(old);
  EXPECT_EQ(found.events, all_events);
  EXPECT_FALSE(found.damage.is_lossy()) << in_words(found.damage, 0);
  std::string damaged = old;
  damaged[old.size() / 2] ^= 0x10;
  const Read other = read(damaged);
  EXPECT_LT(other.events, all_events);
  EXPECT_TRUE(other.damage.is_lossy()) << "its chunks cannot be repaired";
}

}  // namespace
}  // namespace eventspace::test
