#include "collectors/mpi/mpi_record.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "collectors/kinds/event_kinds.h"
#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_recorder.h"
#include "collectors/mpi/mpi_text.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

std::uint16_t number_of(std::string_view name) {
  const auto names = mpi_call_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<std::uint16_t>(i);
  ADD_FAILURE() << "unknown: " << name;
  return 0;
}

MpiCallRecord receive(std::uint32_t partner, std::uint32_t tag) {
  MpiCallRecord call;
  call.call = number_of("MPI_Recv");
  call.of = MpiClass::receive;
  call.partner = partner;
  call.tag = tag;
  call.communicator = 77;
  call.bytes = 1ULL << 40;
  return call;
}

class MpiRecordTest : public testing::Test {
 protected:
  std::optional<double> number(std::string_view field, const TraceTuple& record) {
    const auto id = EventKinds::instance().field_named(field);
    return EventKinds::instance().place(mpi_kind, *id)->number(record);
  }
  TraceTuple newest() {
    std::vector<TraceTuple> records;
    ring_.reader().read_newest(records);
    return records.back();
  }

  test::RingMemory ring_{4};
  CollectSwitch switch_;
  RecordedThread thread_{&switch_};
  MpiRecorder recorder_{ring_.writer(), {3, 4, no_peer, 0}, thread_, Clock::instance()};
};

TEST_F(MpiRecordTest, ACallInFlightSaysAllThatIsKnown) {
  recorder_.begin(receive(2, 7));
  const TraceTuple record = newest();
  EXPECT_TRUE(header_of(record).in_flight());
  EXPECT_EQ(number("partner", record), 2);
  EXPECT_EQ(number("tag", record), 7);
  EXPECT_EQ(number("communicator", record), 77);
  EXPECT_EQ(number("bytes", record), static_cast<double>(1ULL << 40));
  EXPECT_EQ(number("error", record), std::nullopt);
  EXPECT_EQ(number("ordinal", record), std::nullopt);
  EXPECT_EQ(mpi_call_of(decode(record)).partner, 2u);
}

TEST_F(MpiRecordTest, AnEndedCallSaysWhatItHasLearned) {
  MpiCallRecord call = receive(MpiCallRecord::none, MpiCallRecord::none);
  call.wildcards = static_cast<std::uint8_t>(MpiWildcards::any_source);
  recorder_.begin(call);
  EXPECT_EQ(number("partner", newest()), std::nullopt);
  call.partner = 5;
  call.error = 15;
  call.bytes = 3;
  recorder_.end(call);
  EXPECT_EQ(number("partner", newest()), 5);
  EXPECT_EQ(number("error", newest()), 15);
  EXPECT_EQ(number("bytes", newest()), 3);
}

// A reader's view of a call that is just ending: TraceWriter::begin_wide.
TEST_F(MpiRecordTest, ACallThatIsJustEndingLacksTheRest) {
  recorder_.begin(receive(2, 7));
  TraceTuple record = newest();
  record.words[5] = record.words[6] = record.words[7] = 0;
  for (const char* const field : {"partner", "tag", "bytes", "communicator"})
    EXPECT_EQ(number(field, record), std::nullopt) << field;
  EXPECT_EQ(describe_mpi_call(mpi_call_of(decode(record)), "?"), "MPI_Recv");
}

TEST_F(MpiRecordTest, BytesBeyondTheFieldAreTheMost) {
  MpiCallRecord call = receive(2, 7);
  call.bytes = ~std::uint64_t{0};
  recorder_.begin(call);
  recorder_.end(call);
  EXPECT_EQ(number("bytes", newest()), static_cast<double>(MpiCallRecord::max_bytes));
  EXPECT_EQ(number("error", newest()), std::nullopt);
}

TEST(MpiText, CallsAreDescribedAsPeopleSayThem) {
  MpiCallRecord call = receive(2, 7);
  EXPECT_EQ(describe_mpi_call(call, "MPI_COMM_WORLD (4)"), "MPI_Recv from 2 tag 7 on MPI_COMM_WORLD (4)");
  call.partner = call.tag = MpiCallRecord::none;
  call.wildcards = 3;
  EXPECT_EQ(describe_mpi_call(call, "c"), "MPI_Recv from any with any tag on c");
  call.wildcards = static_cast<std::uint8_t>(MpiWildcards::null_process);
  EXPECT_EQ(describe_mpi_call(call, "c"), "MPI_Recv from no process on c");
  MpiCallRecord reduce;
  reduce.call = number_of("MPI_Reduce_c");
  reduce.of = MpiClass::collective;
  reduce.partner = 0;
  reduce.ordinal = 12;
  reduce.communicator = 9;
  EXPECT_EQ(describe_mpi_call(reduce, "c"), "MPI_Reduce_c #12 root 0 on c");
  reduce.call = 1000;  // damage, or a newer program
  EXPECT_EQ(describe_mpi_call(reduce, "c"), "call 1000 #12 root 0 on c");
}

TEST(MpiCalls, EachHasItsNameOnce) {
  std::set<std::string_view> names;
  for (const MpiCall& call : mpi_calls()) {
    EXPECT_TRUE(names.insert(call.name).second) << call.name;
    EXPECT_TRUE(call.name.starts_with("MPI_")) << call.name;
    EXPECT_EQ(call.count.empty(), call.datatype.empty()) << call.name;
  }
  EXPECT_EQ(mpi_call_names()[0], "");
  EXPECT_EQ(mpi_call_names()[1], "MPI_Init");  // numbers are part of the format of records
}

}  // namespace
}  // namespace eventspace
