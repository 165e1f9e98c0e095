#include "tuplespace/trace/segment_entries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <utility>

#include "tests/error_text.h"
#include "tests/tuplespace/trace/forged_entry.h"
#include "tests/tuplespace/trace/segment_talk.h"

// Invalid entries of a log: each is refused with a reason.

namespace eventspace {
namespace {

using namespace segment_layout;
using test::added_trace;
using testing::HasSubstr;

constexpr Room much{100, 100, 100};
constexpr std::uint64_t at = 128;  // the offset of the entry in its segment

/// The memory of a segment with one entry of each type to choose from, and nothing else.
class Entry {
 public:
  static Entry thread() {
    Entry entry(thread_entry_bytes(), 64);
    write_thread_entry(entry.segment(), at, 17, 4711);
    return entry;
  }
  static Entry traces(std::uint16_t lanes = 2) {
    Entry entry(traces_entry_bytes(3, lanes), 64 + lanes * sizeof(TraceEntry));
    std::vector<TraceSpec> specs;
    for (std::uint16_t lane = 0; lane < lanes; ++lane) specs.push_back(added_trace("a", 8u + lane, 3));
    write_traces_entry(entry.segment(), at, specs);
    return entry;
  }
  static Entry name(const std::string& text = "iteration_end") {
    Entry entry(name_entry_bytes(text.size()), name_entry_bytes(text.size()));
    write_name_entry(entry.segment(), at, {5, 6, text});
    return entry;
  }

  std::byte* bytes() { return segment() + at; }
  [[nodiscard]] std::size_t fixed_bytes() const { return fixed_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }

  /// Changes the head, or one trace element, and corrects the checksum.
  template <class Change>
  Entry& with_head(Change change) {
    LogEntry head = test::head_at(bytes());
    change(head);
    test::seal(bytes(), head, fixed_);
    return *this;
  }
  template <class Change>
  Entry& with_trace(std::size_t lane, Change change) {
    std::byte* const place = bytes() + 64 + lane * sizeof(TraceEntry);
    TraceEntry trace;
    std::memcpy(&trace, place, sizeof trace);
    change(trace);
    std::memcpy(place, &trace, sizeof trace);
    return with_head([](LogEntry&) {});
  }

  CheckedEntry read(const Room& room = much) { return read_entry(segment(), at, end_, room); }
  /// Returns why it is refused, or "".
  std::string refusal(const Room& room = much) { return refusal_before(end_, room); }
  std::string refusal_before(std::uint64_t end, const Room& room = much) {
    return test::error_text<InvalidEntry>([&] { read_entry(segment(), at, end, room); });
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64]{};
  };
  Entry(std::uint64_t bytes, std::size_t fixed)
      : lines_((at + bytes) / 64), fixed_(fixed), end_(at + bytes) {}
  std::byte* segment() { return lines_[0].bytes; }

  std::vector<Line> lines_;
  std::size_t fixed_;
  std::uint64_t end_;
};

std::vector<Entry> one_of_each() {
  return {Entry::thread(), Entry::traces(1), Entry::traces(16), Entry::name()};
}

TEST(SegmentEntriesTest, WhatWasWrittenIsRead) {
  Entry thread = Entry::thread();
  const auto added_thread = std::get<AddedThread>(thread.read().content);
  EXPECT_EQ(added_thread.number, 17u);
  EXPECT_EQ(added_thread.state, at + 64);
  Entry two = Entry::traces(2);
  const auto traces = std::get<AddedTraces>(two.read().content);
  ASSERT_EQ(traces.specs.size(), 2u);
  EXPECT_EQ(traces.specs[1].trace, 9u);
  EXPECT_EQ(traces.specs[1].path, 109u);
  EXPECT_EQ(traces.specs[1].thread, 17u);
  EXPECT_EQ(traces.block, at + 64 + 2 * sizeof(TraceEntry));
  for (const std::size_t size : {1u, 43u, 44u, 45u, 4096u}) {
    Entry name = Entry::name(std::string(size, 'x'));
    EXPECT_EQ(std::get<SegmentName>(name.read().content), (SegmentName{5, 6, std::string(size, 'x')}));
  }
  for (Entry& entry : one_of_each()) EXPECT_EQ(entry.read().bytes, entry.end() - at);
}

TEST(SegmentEntriesTest, AnySingleBitFlippedInTheFixedPartIsRefused) {
  for (Entry& entry : one_of_each()) {
    for (std::size_t byte = 0; byte < entry.fixed_bytes(); ++byte) {
      for (int bit = 0; bit < 8; ++bit) {
        Entry flipped = entry;
        flipped.bytes()[byte] ^= std::byte{1} << bit;
        EXPECT_NE(flipped.refusal(), "") << "byte " << byte << " bit " << bit;
      }
    }
  }
}

TEST(SegmentEntriesTest, AnyBitsInTheLivePartAreHarmless) {
  for (Entry& entry : one_of_each()) {
    for (std::uint64_t byte = entry.fixed_bytes(); byte < entry.end() - at; ++byte)
      entry.bytes()[byte] = std::byte{0xff};
    EXPECT_EQ(entry.refusal(), "");
  }
}

TEST(SegmentEntriesTest, AnEntryThatEndsTooLateIsRefused) {
  for (Entry& entry : one_of_each()) {
    for (std::uint64_t end = at; end < entry.end(); end += 64)
      EXPECT_NE(entry.refusal_before(end), "") << end;
    EXPECT_EQ(entry.refusal_before(entry.end() + 640), "");
  }
}

TEST(SegmentEntriesTest, NothingBehindTheEndIsRead) {
  for (const std::uint64_t left : {0u, 1u, 63u})
    EXPECT_EQ(Entry::name().refusal_before(at + left), fmt::format("only {} bytes are left for it", left));
  EXPECT_EQ(Entry::traces(2).refusal_before(at + 64), "it needs 320 bytes; 64 are left");
  EXPECT_EQ(Entry::name(std::string(4096, 'x')).refusal_before(at + 4096),
            "it needs 4160 bytes; 4096 are left");
}

TEST(SegmentEntriesTest, NoiseIsRefused) {
  std::mt19937 random(4714);
  for (int round = 0; round < 1000; ++round) {
    Entry noise = Entry::traces(16);
    for (std::size_t i = 0; i < noise.fixed_bytes(); ++i) noise.bytes()[i] = static_cast<std::byte>(random());
    noise.bytes()[8] = static_cast<std::byte>(random() % 4);  // a possible type
    noise.bytes()[9] = std::byte{0};
    EXPECT_NE(noise.refusal(), "");
  }
}

// --- forged entries with a valid checksum -------------------------------------------------------------

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

TEST(SegmentEntriesTest, SizesThatLieAreRefused) {
  for (Entry& entry : one_of_each()) {
    const std::uint32_t size = test::head_at(entry.bytes()).bytes;
    for (const std::uint32_t lie : {0u, 1u, 63u, size - 64, size - 1, size + 1, size + 64, most, most - 63})
      EXPECT_THAT(entry.with_head([&](LogEntry& head) { head.bytes = lie; }).refusal_before(at + 1'000'000),
                  HasSubstr("its size is " + std::to_string(lie)));
  }
}

TEST(SegmentEntriesTest, AnUnknownTypeIsNamed) {
  for (const int type : {0, 4, 0xffff}) {
    const auto as = [&](LogEntry& head) { head.type = static_cast<LogEntryType>(type); };
    EXPECT_EQ(Entry::name().with_head(as).refusal(), "its type " + std::to_string(type) + " is unknown");
  }
}

TEST(SegmentEntriesTest, AnEntryOfAnotherTypeIsRefused) {
  for (const auto type : {LogEntryType::thread, LogEntryType::traces, LogEntryType::name}) {
    for (Entry& entry : one_of_each()) {
      if (test::head_at(entry.bytes()).type == type) continue;
      EXPECT_NE(entry.with_head([&](LogEntry& head) { head.type = type; }).refusal(), "");
    }
  }
}

TEST(SegmentEntriesTest, CountsOutOfRangeAreNamed) {
  for (const std::uint32_t count : {0u, 17u, most}) {
    const auto lie = [&](LogEntry& head) { head.count = count; };
    EXPECT_THAT(Entry::traces().with_head(lie).refusal(),
                HasSubstr(std::to_string(count) + " trace elements"));
  }
  for (const std::uint32_t count : {0u, 4097u, most}) {
    const auto lie = [&](LogEntry& head) { head.count = count; };
    EXPECT_THAT(Entry::name().with_head(lie).refusal(), HasSubstr(std::to_string(count) + " bytes"));
  }
}

TEST(SegmentEntriesTest, TraceElementsThatLieAreRefused) {
  const std::vector<std::pair<std::string, void (*)(TraceEntry&)>> lies{
      {"threshold 0", [](TraceEntry& e) { e.threshold = 0; }},
      {"threshold 1 more", [](TraceEntry& e) { ++e.threshold; }},
      {"threshold, most", [](TraceEntry& e) { e.threshold = most; }},
      {"block before", [](TraceEntry& e) { e.block -= 64; }},
      {"block behind", [](TraceEntry& e) { e.block += 64; }},
      {"block at the header", [](TraceEntry& e) { e.block = 0; }},
      {"block beyond the end",
       [](TraceEntry& e) { e.block = std::numeric_limits<std::uint64_t>::max() - 63; }},
      {"another lane", [](TraceEntry& e) { e.lane ^= 1; }},
      {"other lanes", [](TraceEntry& e) { e.lanes = 1; }},
      {"another thread", [](TraceEntry& e) { ++e.thread; }},
      {"name without end", [](TraceEntry& e) { std::fill(std::begin(e.name), std::end(e.name), 'x'); }},
      {"control character", [](TraceEntry& e) { e.name[0] = '\n'; }},
      {"no UTF-8", [](TraceEntry& e) { e.name[0] = '\xff'; }}};
  for (const std::size_t lane : {0u, 1u}) {
    for (const auto& [lie, change] : lies)
      EXPECT_NE(Entry::traces(2).with_trace(lane, change).refusal(), "") << lie << " of lane " << lane;
  }
}

TEST(SegmentEntriesTest, ThresholdsOutOfRangeAreNamed) {
  Entry entry = Entry::traces(1);
  entry.with_trace(0, [](TraceEntry& e) { e.threshold = max_threshold + 1; });
  EXPECT_EQ(entry.refusal(), "its discard threshold is 16777217; allowed: 1 to 16777216");
}

TEST(SegmentEntriesTest, TextsThatAreNotPlainAreRefused) {
  for (const std::string& text : {std::string("a\nb"), std::string("a\0b", 3), std::string("\x1b[2J"),
                                  std::string("\xc2\x9b"), std::string("\xff"), std::string("\xc3")})
    EXPECT_EQ(Entry::name(text).refusal(), "its text is not UTF-8 or has control characters");
}

TEST(SegmentEntriesTest, MoreThanThereIsRoomForIsRefused) {
  EXPECT_EQ(Entry::thread().refusal({1, 0, 0}), "");
  EXPECT_EQ(Entry::thread().refusal({0, 9, 9}), "the segment has more than 1048576 threads");
  EXPECT_EQ(Entry::traces(16).refusal({0, 16, 0}), "");
  EXPECT_EQ(Entry::traces(16).refusal({9, 15, 9}), "the segment has more than 4194304 trace elements");
  EXPECT_EQ(Entry::name().refusal({0, 0, 1}), "");
  EXPECT_EQ(Entry::name().refusal({9, 9, 0}), "the segment has more than 1000000 names");
}

}  // namespace
}  // namespace eventspace
