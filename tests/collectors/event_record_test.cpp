#include "collectors/event_record.h"

#include <gtest/gtest.h>

#include <random>

namespace eventspace {
namespace {

EventRecord full() {
  EventRecord record;
  record.sequence = 0x1122334455667788;
  record.start = 0x99aabbccddeeff00;
  record.end = 0xffeeddccbbaa9988;
  record.thread = 0xfffffff1;
  record.path = 0xfffffff2;
  record.peer = 0xfffffff3;
  record.point = 0xff4;
  record.verb = Verb::pull;
  record.from = From::after;
  record.status = Status::refused;
  record.bytes = 0xfffffff5;
  record.missed = 0xfffff6;
  record.parameter = 0x0102030405060708;
  record.virtual_time = 0xf1f2f3f4f5f6f7f8;
  return record;
}

TEST(EventRecordTest, EveryFieldSurvivesTheTraceTuple) { EXPECT_EQ(decode(encode(full())), full()); }

TEST(EventRecordTest, TheDefaultRecordSurvivesToo) {
  EXPECT_EQ(decode(encode(EventRecord{})), EventRecord{});
}

TEST(EventRecordTest, NoFieldReachesIntoAnother) {
  std::mt19937_64 random(4711);
  for (int i = 0; i < 1000; ++i) {
    TraceTuple any;
    for (auto& word : any.words) word = random() | 1;  // an end is never 0
    EXPECT_EQ(encode(decode(any)), any);
  }
}

TEST(EventRecordTest, TheLayoutIsTheOneThatIsWrittenDown) {
  const TraceTuple tuple = encode(full());
  EXPECT_EQ(tuple.words[0], 0x1122334455667788u);
  EXPECT_EQ(tuple.words[2], 0xfffffff2'fffffff1u);
  EXPECT_EQ(tuple.words[3], 0xfffffff3'3'ff4'5'0'01u);
  EXPECT_EQ(tuple.words[5], 0xfffff6'07'fffffff5u);
}

TEST(EventRecordTest, MissedTuplesStopAtWhatFits) {
  TraceTuple tuple;
  tuple.words[4] = 1;
  tuple.words[5] = record_words::outcome(1, Status::ok, std::uint64_t{1} << 40);
  EXPECT_EQ(decode(tuple).missed, (1u << 24) - 1);
  EXPECT_EQ(decode(tuple).status, Status::ok);
  EXPECT_EQ(decode(tuple).bytes, 1u);
}

TEST(EventRecordTest, AnOperationInFlightNeverReadsOk) {
  EventRecord record = full();
  record.end = 0;
  record.status = Status::ok;
  EXPECT_TRUE(decode(encode(record)).in_flight());
  EXPECT_EQ(decode(encode(record)).status, Status::under_way);
  EXPECT_EQ(decode(TraceTuple{}).status, Status::under_way);
}

TEST(EventRecordTest, ARecordOfAnotherKindHasTheSameHeader) {
  EventRecord record = full();
  record.kind = 200;
  record.part = 3;
  EXPECT_FALSE(decode(encode(record)).is_operation());
  EXPECT_EQ(header_of(encode(record)), static_cast<const RecordHeader&>(record));
}

}  // namespace
}  // namespace eventspace
