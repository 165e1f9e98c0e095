// From records of PVM to actions.
#include "monitors/whatif/recording/pvm_actions.h"

#include <gmock/gmock.h>

#include "collectors/pvm/pvm_calls.h"
#include "monitors/whatif/actions/consistency.h"
#include "monitors/whatif/networks/network_file.h"
#include "monitors/whatif/recording/fitted_network.h"
#include "monitors/whatif/recording/message_samples.h"
#include "monitors/whatif/recording/pvm_connections.h"
#include "monitors/whatif/recording/recorded_shares.h"
#include "monitors/whatif/simulation/simulate.h"
#include "tests/collectors/pvm/pvm_call_named.h"
#include "tests/monitors/whatif/actions/action_lines.h"

namespace eventspace::whatif {
namespace {

using test::action_lines;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t a = 0x40001, b = 0x40002, c = 0x40003;
constexpr std::uint32_t team = 77;

/// A program whose calls are added one after the other, calls of a task in the order in which they began.
/// Times are microseconds.
class PvmActionsTest : public testing::Test {
 protected:
  static PvmCallRecord called(std::string_view name, std::uint32_t task) {
    PvmCallRecord record = test::pvm_call_named(name);
    record.task = task;
    return record;
  }
  static PvmCallRecord message(std::string_view name, std::uint32_t task, std::uint32_t partner,
                               std::uint32_t tag, std::uint32_t bytes) {
    PvmCallRecord record = called(name, task);
    record.partner = partner;
    record.tag = tag;
    record.bytes = bytes;
    if (record.of == PvmClass::receive) record.add(PvmMarks::found);
    return record;
  }
  static PvmCallRecord in_group(std::string_view name, std::uint32_t task,
                                std::uint32_t root = PvmCallRecord::none) {
    PvmCallRecord record = called(name, task);
    record.group = team;
    record.partner = root;
    return record;
  }
  static PvmCallRecord barrier(std::uint32_t task, std::uint32_t count) {
    PvmCallRecord record = in_group("pvm_barrier", task);
    record.tasks = count;
    return record;
  }
  static PvmCallRecord nested(PvmCallRecord record) {
    record.add(PvmMarks::nested);
    return record;
  }
  void call(const PvmCallRecord& record, std::int64_t begin, std::int64_t end,
            const std::vector<std::uint32_t>& destinations = {}) {
    std::vector<TraceTuple> event;
    if (!destinations.empty()) {
      TraceTuple& part = event.emplace_back();
      for (std::size_t i = 0; i < destinations.size(); ++i)
        part.words[5 + i / 2] |= std::uint64_t{destinations[i]} << (i % 2 * 32);
    }
    event.push_back({{1, 0, 0, record.word3(0), 1, record.word5(), record.word6(), record.word7()}});
    pvm.add(event, "app." + name_of_pvm_task(record.task), {begin * 1000, end * 1000});
  }
  RecordedProgram program() {
    pvm.finish();
    return tasks.finish("task");
  }

  RecordedTasks tasks{"job.evs", 0};
  PvmActions pvm{tasks, 0};
};

TEST_F(PvmActionsTest, MessagesBelongToTheTasksAtTheirEnds) {
  call(called("pvm_initsend", a), 0, 5);
  call(message("pvm_send", a, b, 7, 48), 10, 20);
  call(message("pvm_recv", b, a, 7, 48), 0, 30);
  const RecordedProgram made = program();
  EXPECT_THAT(action_lines(made.program, 0), ElementsAre("overhead 5us in pvm_initsend", "compute 5us",
                                                         "send 1 48B tag 7 takes 10us in pvm_send", "end"));
  EXPECT_THAT(action_lines(made.program, 1), ElementsAre("recv 0 48B tag 7 takes 30us in pvm_recv", "end"));
  EXPECT_EQ(made.program.tasks[1].name, "app.t40002");
  EXPECT_THAT(made.notes, IsEmpty());
  EXPECT_THAT(require_consistent(made.program), IsEmpty());
}

TEST_F(PvmActionsTest, InnerCallsArePartOfTheirCall) {
  call(message("pvm_psend", a, a, 7, 48), 0, 30);
  call(nested(called("pvm_pkbyte", a)), 5, 8);
  call(nested(message("pvm_send", a, a, 7, 48)), 10, 28);
  call(nested(called("write", a)), 12, 20);
  call(message("pvm_precv", a, a, 7, 48), 40, 60);
  call(nested(message("pvm_recv", a, a, 7, 48)), 42, 58);
  EXPECT_THAT(action_lines(program().program, 0),
              ElementsAre("send 0 48B tag 7 takes 30us in pvm_psend", "compute 10us",
                          "recv 0 48B tag 7 takes 20us in pvm_precv", "end"));
}

// A program that sends directly.
TEST_F(PvmActionsTest, TheFirstSendThatWaitedForTheOtherTaskConnectedToIt) {
  call(message("pvm_send", a, b, 7, 48), 0, 5100);
  call(message("pvm_send", a, b, 7, 48), 5200, 9900);  // a large message: it waited for room
  call(message("pvm_send", b, a, 7, 48), 4000, 4010);
  call(message("pvm_recv", b, a, 7, 48), 5000, 5300);
  call(message("pvm_recv", b, a, 7, 48), 9000, 9950);
  call(message("pvm_recv", a, b, 7, 48), 9950, 9960);
  RecordedProgram made = program();
  mark_pvm_connections(made);
  EXPECT_THAT(action_lines(made.program, 0)[0], HasSubstr(" sync"));
  EXPECT_THAT(action_lines(made.program, 0)[2], testing::Not(HasSubstr(" sync")));
  EXPECT_THAT(action_lines(made.program, 1), testing::Not(testing::Contains(HasSubstr(" sync"))));
}

// The first send of a pair must be among those that are examined.
TEST_F(PvmActionsTest, ThinningLeavesOutSamplesAndNoMessages) {
  for (std::int64_t time = 0; time < 50; time += 10) {
    call(message("pvm_send", a, b, 7, 48), time, time + 1);
    call(message("pvm_recv", b, a, 7, 48), time, time + 5);
  }
  const RecordedProgram made = program();
  EXPECT_EQ(message_samples(made, 2).size(), 2U);
  std::vector<std::int64_t> sent;
  for_each_message(made, [&sent](const MessageSample& sample) { sent.push_back(sample.sent.begin_ns); });
  EXPECT_THAT(sent, ElementsAre(0, 10'000, 20'000, 30'000, 40'000));
}

// Both tasks send a large message to the other one first.
TEST_F(PvmActionsTest, SendsOfPvmDoNotWaitForTheirReceives) {
  for (int i = 0; i < 4; ++i) {
    const int at = 10'000 * i;
    call(message("pvm_send", a, b, 7, 50'000), at, at + 5000);
    call(message("pvm_recv", a, b, 7, 50'000), at + 5000, at + 6000);
    call(message("pvm_send", b, a, 7, 50'000), at + 3000, at + 4000);
    call(message("pvm_recv", b, a, 7, 50'000), at + 4000, at + 6000);
  }
  RecordedProgram made = program();
  made.sends_may_wait = false;
  EXPECT_EQ(std::get<LogGpNetwork>(fit_network(made).network.kind).rendezvous, std::nullopt);
}

// From a later version, or a forged recording.
TEST_F(PvmActionsTest, CallsOfUnknownFunctionsAreWorkOfTheLibrary) {
  PvmCallRecord unknown = called("pvm_initsend", a);
  unknown.call = 999;
  call(unknown, 0, 5);
  unknown.of = static_cast<PvmClass>(15);
  call(unknown, 5, 7);
  EXPECT_THAT(action_lines(program().program, 0),
              ElementsAre("overhead 5us in call%20999", "overhead 2us in call%20999", "end"));
}

TEST_F(PvmActionsTest, CallsInVainCountAsTheyWereMade) {
  PvmCallRecord look = called("pvm_nrecv", a);
  look.of = PvmClass::look;
  look.calls = 12;
  call(called("pvm_nrecv", a), 0, 5);
  call(look, 5, 30);
  const RecordedProgram made = program();
  EXPECT_THAT(action_lines(made.program, 0), ElementsAre("overhead 5us in pvm_nrecv probe",
                                                         "overhead 25us calls 12 in pvm_nrecv probe", "end"));
  const Outcome outcome = *simulate(made.program, find_network("infinite"), {});
  EXPECT_EQ(outcome.tasks[0].functions[1].calls, 13);
  EXPECT_EQ(outcome.marked[0], 13U) << "probes";
}

TEST_F(PvmActionsTest, TheTimeOfAReceiveInSelectIsNotWorkOfTheLibrary) {
  call(message("pvm_send", b, a, 7, 48), 0, 10);
  call(nested(called("write", b)), 1, 9);
  call(message("pvm_recv", a, b, 7, 48), 0, 30);
  call(nested(called("select", a)), 5, 25);
  call(nested(called("read", a)), 25, 28);
  const RecordedProgram made = program();
  EXPECT_EQ(made.program.tasks[1].actions[0].takes, 10 * 1000 * ps_per_ns);
  EXPECT_EQ(made.times[1][0].duration(), 30 * 1000);
  EXPECT_THAT(
      made.notes,
      ElementsAre(HasSubstr("1 messages were sent, by 1 writes to sockets, and received by 1 reads")));
}

TEST_F(PvmActionsTest, ForgedWaitsAreNoLongerThanTheCallThatTheyLieIn) {
  constexpr std::int64_t most = (std::int64_t{1} << 61) / 1000;  // all together exceed 64 bits
  call(message("pvm_send", b, a, 7, 48), 0, 10);
  call(message("pvm_recv", a, b, 7, 48), 0, 30);
  for (int i = 0; i < 3; ++i) call(nested(called("select", a)), -most, most);
  EXPECT_EQ(program().program.tasks[1].actions[0].takes, 0);
}

TEST_F(PvmActionsTest, TheCostOfRecordingInnerCallsIsSubtracted) {
  PvmActions with_cost(tasks, 1000);
  const auto add = [&](const PvmCallRecord& record, std::int64_t begin, std::int64_t end) {
    const std::vector<TraceTuple> event{
        {{1, 0, 0, record.word3(0), 1, record.word5(), record.word6(), record.word7()}}};
    with_cost.add(event, "app", {begin * 1000, end * 1000});
  };
  add(called("pvm_initsend", a), 0, 10);
  add(nested(called("write", a)), 1, 2);
  add(nested(called("write", a)), 3, 4);
  with_cost.finish();
  EXPECT_THAT(action_lines(tasks.finish("task").program, 0),
              ElementsAre("overhead 8us in pvm_initsend", "end"));
}

TEST_F(PvmActionsTest, AMulticastHasAllItsDestinationsAndABroadcastThoseOfTheOneInside) {
  PvmCallRecord multicast = called("pvm_mcast", a);
  multicast.tag = 3;
  multicast.bytes = 10;
  multicast.tasks = 2;
  call(multicast, 0, 10, {b, c});
  PvmCallRecord broadcast = in_group("pvm_bcast", a);
  broadcast.tag = 3;
  broadcast.bytes = 20;
  call(broadcast, 20, 40);
  call(nested(multicast), 25, 35, {b, c});
  for (const std::uint32_t task : {b, c}) {
    call(message("pvm_recv", task, a, 3, 10), 1, 50);
    call(message("pvm_recv", task, a, 3, 20), 51, 60);
  }
  const RecordedProgram made = program();
  EXPECT_THAT(action_lines(made.program, 0),
              ElementsAre("mcast 1-2 10B tag 3 takes 10us in pvm_mcast", "compute 10us",
                          "mcast 1-2 20B tag 3 takes 20us in pvm_bcast", "end"));
  EXPECT_THAT(require_consistent(made.program), IsEmpty());
}

TEST_F(PvmActionsTest, AnOperationOfAGroupIsOneActionOfItsMembers) {
  std::int64_t time = 0;
  for (const std::uint32_t task : {a, b, c}) {
    PvmCallRecord join = in_group("pvm_joingroup", task, task == a ? 1 : task == b ? 0 : 2);
    call(join, time, time + 1);
    ++time;
  }
  for (const std::uint32_t task : {a, b, c}) {
    call(barrier(task, 3), time, 100);
    call(nested(message("pvm_send", task, 0x40009, 1, 4)), time + 1, time + 2);  // to the group server
    PvmCallRecord reduce = in_group("pvm_reduce", task, 1);
    reduce.bytes = 16;
    reduce.tag = 5;
    call(reduce, 110, 120);
    ++time;
  }
  const RecordedProgram made = program();
  EXPECT_THAT(made.notes, IsEmpty());
  ASSERT_EQ(made.program.groups.size(), 2U);
  EXPECT_THAT(made.program.groups[1].members, ElementsAre(1, 0, 2)) << "by instance";
  const auto of_b = action_lines(made.program, 1);
  EXPECT_THAT(of_b, testing::Contains(HasSubstr("barrier group 1")));
  EXPECT_THAT(of_b, testing::Contains(HasSubstr("reduce 16B root 1 group 1")));
  EXPECT_THAT(require_consistent(made.program), IsEmpty());
}

TEST_F(PvmActionsTest, AnOperationThatAsksTheServerOfGroupsTakesThatTimeFirst) {
  PvmCallRecord reduce = in_group("pvm_reduce", a, 0);
  reduce.bytes = 8;
  call(reduce, 0, 100);
  call(nested(called("pvm_gettid", a)), 10, 40);
  call(nested(called("pvm_gsize", a)), 50, 60);
  call(nested(called("select", a)), 70, 90);
  RecordedProgram made = program();
  separate_overheads(made, fit_network(made));
  EXPECT_THAT(action_lines(made.program, 0),
              ElementsAre("idle 40us in pvm_reduce", "reduce 8B group 1 in pvm_reduce more", "end"));
}

TEST_F(PvmActionsTest, TheTimeOfAskingTheServerOfGroupsIsNoneOfTheOperation) {
  for (const std::uint32_t task : {a, b}) {
    call(in_group("pvm_reduce", task, 0), 0, 100);
    call(nested(called("pvm_gettid", task)), 0, 40);
  }
  const RecordedProgram made = program();
  ASSERT_EQ(made.times[0].size(), 2U);
  EXPECT_EQ(made.times[0][0].end_ns, 40'000);
  EXPECT_EQ(made.times[0][1].begin_ns, 40'000);
  const std::vector<GroupSample> samples = group_samples(made);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].step_ns, 60'000);
}

TEST_F(PvmActionsTest, TheTimeOfAskingTheServerOfGroupsCountsOnceWhereABarrierIsIncomplete) {
  call(barrier(a, 3), 0, 100);
  call(nested(called("pvm_gettid", a)), 0, 40);
  const RecordedProgram made = program();
  EXPECT_EQ(made.program.tasks[0].actions[0].takes, 40 * 1000 * ps_per_ns);
  EXPECT_EQ(made.program.tasks[0].actions[1].kind, ActionKind::overhead);
  EXPECT_EQ(made.program.tasks[0].actions[1].takes, 60 * 1000 * ps_per_ns);
}

TEST_F(PvmActionsTest, ForgedTimesOfAskingAreNotLongerThanCanBeSimulated) {
  constexpr std::int64_t end = 1'000'000'000'000'000;  // in picoseconds it exceeds 64 bits
  constexpr Picoseconds most = longest_time / ps_per_ns * ps_per_ns;
  call(in_group("pvm_reduce", a, 0), 0, end);
  call(nested(called("pvm_gettid", a)), 0, end);
  const RecordedProgram made = program();
  EXPECT_EQ(made.program.tasks[0].actions[0].takes, most);
  EXPECT_EQ(recorded_shares(made).at(0).at(made.program.tasks[0].actions[0].function).time, most);
}

TEST_F(PvmActionsTest, TasksThatMeetInABarrierAreItsMembers) {
  for (const std::uint32_t task : {a, b}) call(barrier(task, 2), 0, 10);
  call(barrier(c, 2), 20, 30);
  call(barrier(a, 2), 21, 30);
  const RecordedProgram made = program();
  ASSERT_EQ(made.program.groups.size(), 3U);
  EXPECT_THAT(require_consistent(made.program), IsEmpty());
  EXPECT_THAT(made.notes, IsEmpty());
}

TEST_F(PvmActionsTest, ABarrierWithoutItsOtherTasksIsReportedAndNotSimulated) {
  for (const std::uint32_t task : {a, b}) call(barrier(task, 3), 0, 10);
  const RecordedProgram made = program();
  EXPECT_THAT(action_lines(made.program, 0), ElementsAre("overhead 10us in pvm_barrier", "end"));
  EXPECT_THAT(made.notes, ElementsAre(HasSubstr("2 barriers count as work")));
}

TEST_F(PvmActionsTest, TrafficWithDaemonsAndTasksThatWereNotRecordedIsLeftOutAndCounted) {
  call(message("pvm_send", a, 0x80040000, 7, 48), 0, 10);
  call(message("pvm_send", a, 0x40077, 7, 48), 10, 20);
  call(message("pvm_recv", a, 0x40077, 7, 48), 20, 30);
  const RecordedProgram made = program();
  EXPECT_THAT(action_lines(made.program, 0),
              ElementsAre("overhead 10us in pvm_send", "overhead 10us in pvm_send",
                          "overhead 10us in pvm_recv", "end"));
  EXPECT_THAT(made.notes,
              ElementsAre(HasSubstr("2 messages are left out"), HasSubstr("1 messages with daemons")));
}

TEST_F(PvmActionsTest, ActionsThatDependOnTimesAreMarked) {
  PvmCallRecord none = called("pvm_nrecv", a);
  none.add(PvmMarks::any_source);
  call(none, 0, 1);
  PvmCallRecord timed = called("pvm_trecv", a);
  call(timed, 1, 3);
  call(message("pvm_send", a, a, 7, 8), 3, 4);
  PvmCallRecord any = message("pvm_recv", a, a, 7, 8);
  any.add(PvmMarks::any_source);
  call(any, 4, 5);
  call(message("pvm_send", a, a, 7, 8), 5, 6);
  call(message("pvm_trecv", a, a, 7, 8), 6, 7);
  EXPECT_THAT(
      action_lines(program().program, 0),
      ElementsAre("overhead 1us in pvm_nrecv probe", "overhead 2us in pvm_trecv timed",
                  "send 0 8B tag 7 takes 1us in pvm_send", "recv 0 8B tag 7 takes 1us in pvm_recv wildcard",
                  "send 0 8B tag 7 takes 1us in pvm_send", "recv 0 8B tag 7 takes 1us in pvm_trecv timed",
                  "end"));
}

TEST_F(PvmActionsTest, WaitingForAMessageToItselfIsWorkOfTheLibrary) {
  call(message("pvm_send", a, a, 7, 48), 0, 10);
  call(message("pvm_recv", a, a, 7, 48), 10, 40);
  call(nested(called("select", a)), 12, 35);
  RecordedProgram made = program();
  const FittedNetwork fitted = fit_network(made);
  EXPECT_EQ(fitted.transit.samples, 0U) << "it enters no network";
  separate_overheads(made, fitted);
  EXPECT_EQ(made.program.tasks[0].actions[1].takes, 30 * 1000 * ps_per_ns);
}

TEST_F(PvmActionsTest, TheNetworkIsAlsoFittedToMulticasts) {
  PvmCallRecord multicast = called("pvm_mcast", a);
  multicast.tag = 3;
  multicast.bytes = 100;
  multicast.tasks = 2;
  for (std::int64_t time = 0; time < 400; time += 100) {
    for (const std::uint32_t task : {b, c}) call(message("pvm_recv", task, a, 3, 100), time, time + 60);
    call(multicast, time + 10, time + 20, {b, c});
  }
  const FittedNetwork fitted = fit_network(program());
  EXPECT_EQ(fitted.transit.samples, 8U);
  EXPECT_NEAR(fitted.transit.at(100), 50'000, 1);
}

TEST_F(PvmActionsTest, ALatencyIsNotLongerThanCanBeSimulated) {
  constexpr std::int64_t end = (std::int64_t{1} << 61) / 1000;
  for (std::int64_t time = 0; time < 800; time += 100) {
    call(message("pvm_recv", b, a, 7, 48), time, end);
    call(message("pvm_send", a, b, 7, 48), time + 10, time + 20);
  }
  const FittedNetwork fitted = fit_network(program());
  EXPECT_EQ(fitted.transit.samples, 8U);
  EXPECT_EQ(std::get<LogGpNetwork>(fitted.network.kind).latency, longest_time);
}

TEST_F(PvmActionsTest, AMessageToItselfCostsCallsButNoNetwork) {
  call(message("pvm_send", a, a, 7, 1'000'000), 0, 10);
  call(message("pvm_recv", a, a, 7, 1'000'000), 20, 25);
  const Program made = program().program;
  Network slow{.name = "slow"};
  LogGpNetwork network;
  network.latency = ps_per_second;
  network.per_byte = 1e6;
  slow.kind = network;
  const auto outcome = simulate(made, slow, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->execution, 25 * 1000 * ps_per_ns);
  EXPECT_EQ(outcome->tasks[0].messages, 1U);
}

}  // namespace
}  // namespace eventspace::whatif
