#include "scopes/reading/local_numbering.h"

#include <gtest/gtest.h>

#include "collectors/event_record.h"
#include "collectors/probe_record.h"

namespace eventspace {
namespace {

constexpr std::uint32_t first_own = *local_ids_of(dynamic_process);
const LocalNumbering numbering(7);
constexpr std::uint32_t first_given = *local_ids_of(7);

TraceTuple operation(std::uint32_t thread, std::uint32_t path, std::uint32_t peer) {
  EventRecord record;
  record.thread = thread;
  record.path = path;
  record.peer = peer;
  record.end = 9;
  record.bytes = 17;
  record.parameter = first_own;  // not the number of a thread, though it looks like one
  return encode(record);
}

EventRecord renumbered(TraceTuple record) {
  numbering.apply(std::span(&record, 1));
  return decode(record);
}

TEST(LocalNumbering, ThreadPathAndPeerGetNumbersOfTheProcess) {
  const EventRecord record = renumbered(operation(first_own, first_own + 3, first_own + 16383));
  EXPECT_EQ(record.thread, first_given);
  EXPECT_EQ(record.path, first_given + 3);
  EXPECT_EQ(record.peer, first_given + 16383);
  EXPECT_EQ(record.bytes, 17u);
  EXPECT_EQ(record.parameter, first_own);
}

TEST(LocalNumbering, ARecordWithoutAPeerStaysWithoutOne) {
  EXPECT_EQ(renumbered(operation(first_own, first_own, no_peer)).peer, no_peer);
}

TEST(LocalNumbering, NumbersThatAreNotTheProcesssOwnBelongToNoThread) {
  for (const std::uint32_t number : {0u, 5u, first_given, first_own - 1, first_own + local_ids_per_process}) {
    EXPECT_EQ(numbering(number), LocalNumbering::no_number) << number;
    EXPECT_EQ(renumbered(operation(number, first_own, no_peer)).thread, LocalNumbering::no_number) << number;
  }
}

TEST(LocalNumbering, TheNameOfAProbeMeansTheSameInAllProcesses) {
  TraceTuple record = operation(first_own, first_own, first_own + 1);
  record.words[3] = record_words::kind(probe_kind, 0) | std::uint64_t{first_own + 1} << 32;
  numbering.apply(std::span(&record, 1));
  EXPECT_EQ(record.words[3] >> 32, first_own + 1);
  EXPECT_EQ(header_of(record).thread, first_given);
}

TEST(LocalNumbering, OfAKindThatIsNotKnownThreadAndPathAreReplaced) {
  TraceTuple record = operation(first_own, first_own + 1, first_own + 2);
  record.words[3] = record_words::kind(200, 0) | std::uint64_t{first_own + 2} << 32;
  numbering.apply(std::span(&record, 1));
  EXPECT_EQ(header_of(record).thread, first_given);
  EXPECT_EQ(header_of(record).path, first_given + 1);
  EXPECT_EQ(record.words[3] >> 32, first_own + 2);
}

TEST(LocalNumbering, AnOperationInFlightHasItsPeerToo) {
  TraceTuple record = operation(first_own, first_own, first_own + 2);
  for (std::size_t word = 4; word < 8; ++word) record.words[word] = 0;
  EXPECT_EQ(renumbered(record).peer, first_given + 2);
}

}  // namespace
}  // namespace eventspace
