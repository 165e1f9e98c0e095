#include "scopes/recordings/record_columns.h"

#include <gtest/gtest.h>

#include <random>

#include "collectors/event_record.h"
#include "scopes/recordings/chunk.h"

namespace eventspace {
namespace {

std::vector<std::byte> columns_of(std::span<const TraceTuple> records) {
  std::vector<std::byte> bytes;
  write_columns(records, bytes);
  return bytes;
}

// The records of two threads that exchange rows: the same operations repeated.
std::vector<TraceTuple> regular_records(std::size_t steps) {
  std::vector<TraceTuple> records;
  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    std::uint64_t now = 1'000'000'000;
    for (std::uint64_t step = 1; step <= steps; ++step) {
      EventRecord record;
      record.sequence = step;
      record.thread = thread;
      record.path = 7;
      record.verb = step % 2 == 0 ? Verb::take : Verb::write;
      record.status = Status::ok;
      record.start = now += 900 + step % 13;
      record.end = now += 180 + step % 7;
      record.bytes = 64;
      record.parameter = step / 2;
      record.virtual_time = step / 8;
      records.push_back(encode(record));
    }
  }
  return records;
}

TEST(RecordColumns, KeepEveryWordAndTheOrder) {
  const auto records = regular_records(1000);
  EXPECT_EQ(read_columns(columns_of(records), records.size()), records);
  EXPECT_EQ(read_columns(columns_of({}), 0), std::vector<TraceTuple>());
}

TEST(RecordColumns, KeepWordsOfAnyValue) {
  std::mt19937_64 random(1);
  std::vector<TraceTuple> records(500);
  for (TraceTuple& record : records) {
    for (std::uint64_t& word : record.words) word = random() >> random() % 64;
    if (random() % 4 == 0) record = records.front();
  }
  records.back().words.fill(~std::uint64_t{0});
  EXPECT_EQ(read_columns(columns_of(records), records.size()), records);
}

TEST(RecordColumns, OfRegularEventsTakeAFewBytesEach) {
  const auto records = regular_records(5000);
  EXPECT_LE(columns_of(records).size(), records.size() * 12);
}

TEST(RecordColumns, RefuseBytesThatAreNone) {
  const auto records = regular_records(40);
  const auto bytes = columns_of(records);
  EXPECT_EQ(read_columns(bytes, records.size() - 1), std::nullopt) << "more records than allowed";
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(read_columns(Bytes(bytes).first(size), records.size()), std::nullopt) << "cut at " << size;
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(read_columns(longer, records.size()), std::nullopt);
  EXPECT_EQ(read_columns(std::vector(64, std::byte{0xff}), 1000), std::nullopt);
}

TEST(RecordColumns, AHigherLevelOfCompressionTakesLessRoomForTheSameBytes) {
  const std::vector<std::byte> body = columns_of(regular_records(20'000));
  recording::Compressor fast(1);
  recording::Compressor small(19);
  const Bytes of_fast = fast.compress(body);
  const Bytes of_small = small.compress(body);
  EXPECT_LT(of_fast.size(), body.size());
  EXPECT_LT(of_small.size(), of_fast.size());
  EXPECT_EQ(recording::decompress(of_fast, body.size()), body);
  EXPECT_EQ(recording::decompress(of_small, body.size()), body);
}

}  // namespace
}  // namespace eventspace
