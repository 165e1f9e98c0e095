#include "collectors/pvm/pvm_record.h"

#include <gmock/gmock.h>

#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "collectors/pvm/pvm_calls.h"
#include "collectors/pvm/pvm_recorder.h"
#include "tests/collectors/pvm/pvm_call_named.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

PvmCallRecord call_named(std::string_view name) {
  PvmCallRecord call = test::pvm_call_named(name);
  call.task = 0x40001;
  return call;
}

class PvmRecordTest : public testing::Test {
 protected:
  std::vector<TraceTuple> finished() {
    std::vector<TraceTuple> records;
    (void)ring_.reader().read_after(0, 100, records);
    return records;
  }
  std::optional<PvmCallRecord> in_flight() {
    const auto record = ring_.reader().in_flight();
    return record ? std::optional(pvm_call_of(*record)) : std::nullopt;
  }
  static std::optional<double> number(std::string_view field, const TraceTuple& record) {
    const auto id = EventKinds::instance().field_named(field);
    return EventKinds::instance().place(pvm_kind, *id)->number(record);
  }

  test::RingMemory ring_{40};
  CollectSwitch switch_;
  RecordedThread thread_{&switch_};
  PvmRecorder recorder_{ring_.writer(), {3, 4, no_peer, 0}, thread_, Clock::instance()};
};

TEST_F(PvmRecordTest, ARecordHoldsACall) {
  PvmCallRecord call = call_named("pvm_send");
  call.partner = 0x80040000;
  call.tag = 7;
  call.bytes = 0xffff'fffe;
  call.encoding = PvmEncoding::in_place;
  call.error = 16;
  call.site = 300;
  call.group = 0xdead'beef;
  call.tasks = PvmCallRecord::max_tasks;
  call.add(PvmMarks::nested);
  ASSERT_TRUE(recorder_.begin(call));
  EXPECT_EQ(in_flight(), call);
  recorder_.end(call);
  ASSERT_EQ(finished().size(), 1U);
  const TraceTuple record = finished().front();
  EXPECT_EQ(pvm_call_of(record), call);
  EXPECT_EQ(header_of(record).kind, pvm_kind);
  EXPECT_EQ(number("partner", record), 0x80040000);
  EXPECT_EQ(number("task", record), 0x40001);
  EXPECT_EQ(number("error", record), 16);
  EXPECT_EQ(number("tasks", record), 4095);
  EXPECT_EQ(number("nested", record), 1);
}

TEST_F(PvmRecordTest, TheCallOfTheProgramIsInFlightWhateverItDoesInside) {
  const PvmCallRecord outer = call_named("pvm_psend");
  const PvmCallRecord inner = call_named("pvm_pkbyte");
  ASSERT_TRUE(recorder_.begin(outer));
  ASSERT_TRUE(recorder_.begin(inner));
  EXPECT_EQ(in_flight(), outer);
  recorder_.end(inner);
  EXPECT_EQ(in_flight(), outer);
  recorder_.end(outer);
  EXPECT_EQ(in_flight(), std::nullopt);
  const auto records = finished();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(pvm_call_of(records[0]), inner);
  EXPECT_EQ(pvm_call_of(records[1]), outer);
  EXPECT_LE(header_of(records[1]).start, header_of(records[0]).start);
  EXPECT_GE(header_of(records[1]).end, header_of(records[0]).end);
}

TEST_F(PvmRecordTest, CallsBeyondTheDeepestAreNotRecordedAndTheOthersAre) {
  const PvmCallRecord call = call_named("pvm_recv");
  for (std::size_t i = 0; i < PvmRecorder::deepest; ++i) ASSERT_TRUE(recorder_.begin(call));
  EXPECT_FALSE(recorder_.begin(call));
  for (std::size_t i = 0; i < PvmRecorder::deepest; ++i) recorder_.end(call);
  EXPECT_EQ(finished().size(), PvmRecorder::deepest);
}

TEST_F(PvmRecordTest, DestinationsOfAMulticastAreInFrontOfIt) {
  std::vector<int> tasks(20);
  std::iota(tasks.begin(), tasks.end(), 0x40002);
  PvmCallRecord call = call_named("pvm_mcast");
  call.tasks = 20;
  ASSERT_TRUE(recorder_.begin(call));
  recorder_.end(call, tasks);
  const auto records = finished();
  ASSERT_EQ(records.size(), 5U);
  EXPECT_EQ(pvm_destinations_of({records.data(), records.size()}),
            (std::vector<std::uint32_t>(tasks.begin(), tasks.end())));
  EXPECT_EQ(pvm_call_of(records.back()), call);
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(header_of(records[i]).part, records.size() - 1 - i);
    EXPECT_EQ(EventKinds::instance().records_after(records[i]), records.size() - 1 - i);
  }
}

TEST_F(PvmRecordTest, MoreDestinationsThanFitAreCounted) {
  std::vector<int> tasks(200, 0x40002);
  PvmCallRecord call = call_named("pvm_mcast");
  call.tasks = 200;
  ASSERT_TRUE(recorder_.begin(call));
  recorder_.end(call, tasks);
  const auto records = finished();
  EXPECT_EQ(pvm_destinations_of({records.data(), records.size()}).size(), pvm_parts::max_destinations);
  EXPECT_EQ(pvm_call_of(records.back()).tasks, 200U);
}

TEST_F(PvmRecordTest, AClassThatIsSwitchedOffIsNotRecorded) {
  switch_.set({pvm_kind, static_cast<std::uint8_t>(PvmClass::pack)}, CollectSwitch::off);
  EXPECT_FALSE(recorder_.begin(call_named("pvm_pkint")));
  EXPECT_TRUE(recorder_.begin(call_named("pvm_send")));
}

// Calls at one place that poll for a message, and their inner calls.
class PvmLooksTest : public PvmRecordTest {
 protected:
  static PvmCallRecord look(std::uint32_t tag = 7) {
    PvmCallRecord call = call_named("pvm_nrecv");
    call.tag = tag;
    call.site = 5;
    return call;
  }
  void looks_in_vain(const PvmCallRecord& call) {
    ASSERT_TRUE(recorder_.begin(call));
    inside("select");
    recorder_.end(call);
  }
  void inside(const char* name) {
    PvmCallRecord call = call_named(name);
    call.add(PvmMarks::nested);
    if (recorder_.begin(call)) recorder_.end(call);
  }
  // "pvm_nrecv", "select"; for unsuccessful polls "5 pvm_nrecv".
  std::vector<std::string> recorded() {
    std::vector<std::string> names;
    for (const TraceTuple& record : finished()) {
      const PvmCallRecord call = pvm_call_of(record);
      const std::string before = call.of == PvmClass::look ? std::to_string(call.calls) + " " : "";
      names.push_back(before + name_of_pvm_call(call.call));
    }
    return names;
  }
};

TEST_F(PvmLooksTest, CallsInVainAfterTheFirstAreOneRecord) {
  for (int i = 0; i < 6; ++i) looks_in_vain(look());
  EXPECT_EQ(in_flight(), std::nullopt);
  recorder_.finish();
  EXPECT_THAT(recorded(), testing::ElementsAre("select", "pvm_nrecv", "5 pvm_nrecv"));
  const TraceTuple record = finished().back();
  EXPECT_EQ(number("calls", record), 5);
  EXPECT_EQ(number("bytes", record), std::nullopt);
  EXPECT_EQ(number("tag", record), 7);
  EXPECT_EQ(describe_pvm_call(pvm_call_of(record)), "pvm_nrecv tag 7, 5 in vain");
}

TEST_F(PvmLooksTest, TheCallThatFindsAMessageHasARecordOfItsOwnBehindThem) {
  for (int i = 0; i < 3; ++i) looks_in_vain(look());
  PvmCallRecord found = look();
  ASSERT_TRUE(recorder_.begin(found));
  inside("read");
  found.bytes = 100;
  found.add(PvmMarks::found);
  recorder_.end(found);
  EXPECT_EQ(in_flight(), std::nullopt);
  looks_in_vain(look());
  EXPECT_THAT(recorded(), testing::ElementsAre("select", "pvm_nrecv", "read", "2 pvm_nrecv", "pvm_nrecv",
                                               "select", "pvm_nrecv"));
  EXPECT_EQ(pvm_call_of(finished()[4]), found);
}

TEST_F(PvmLooksTest, OtherCallsAndOtherMessagesEndWhatIsCounted) {
  for (int i = 0; i < 3; ++i) looks_in_vain(look(7));
  looks_in_vain(look(8));
  const PvmCallRecord send = call_named("pvm_send");
  ASSERT_TRUE(recorder_.begin(send));
  recorder_.end(send);
  looks_in_vain(look(7));
  EXPECT_THAT(recorded(), testing::ElementsAre("select", "pvm_nrecv", "2 pvm_nrecv", "select", "pvm_nrecv",
                                               "pvm_send", "select", "pvm_nrecv"));
}

TEST_F(PvmLooksTest, CallsThatAreSwitchedOffAreNotCounted) {
  switch_.set({pvm_kind, static_cast<std::uint8_t>(PvmClass::look)}, CollectSwitch::off);
  for (int i = 0; i < 6; ++i) looks_in_vain(look());
  recorder_.finish();
  EXPECT_THAT(recorded(), testing::ElementsAre("select", "pvm_nrecv"));
}

TEST_F(PvmLooksTest, AnErrorIsNotInVain) {
  looks_in_vain(look());
  PvmCallRecord failed = look();
  ASSERT_TRUE(recorder_.begin(failed));
  failed.error = 2;
  recorder_.end(failed);
  EXPECT_EQ(pvm_call_of(finished().back()).error, 2);
}

TEST(PvmCalls, AllHaveNamesOfTheirOwnAndThoseOfTheThesisComeFirst) {
  std::set<std::string_view> names;
  for (const PvmCall& call : pvm_calls) names.insert(call.name);
  EXPECT_EQ(names.size(), pvm_calls.size());
  for (std::size_t i = 0; i < pvm_calls_of_thesis; ++i) EXPECT_NE(pvm_calls[i].of, PvmClass::manage);
}

TEST(PvmCalls, ADescriptionSaysWithWhom) {
  PvmCallRecord call = call_named("pvm_send");
  call.partner = 0x40002;
  call.tag = 7;
  EXPECT_EQ(describe_pvm_call(call), "pvm_send to t40002 tag 7");
  call = call_named("pvm_recv");
  call.add(PvmMarks::any_source);
  call.add(PvmMarks::any_tag);
  EXPECT_EQ(describe_pvm_call(call), "pvm_recv from any with any tag");
  call = call_named("pvm_mcast");
  call.tasks = 3;
  EXPECT_EQ(describe_pvm_call(call), "pvm_mcast to 3 tasks");
  call.call = 999;
  EXPECT_EQ(name_of_pvm_call(call.call), "call 999");
}

}  // namespace
}  // namespace eventspace
