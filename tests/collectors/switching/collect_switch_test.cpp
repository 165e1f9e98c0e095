#include "tuplespace/trace/collect_switch.h"

#include <gmock/gmock.h>

#include <thread>

#include <eventspace/error.h>
#include <eventspace/path.h>
#include <eventspace/stage.h>
#include "collectors/event_record.h"
#include "collectors/probe_record.h"
#include "collectors/probes/probe_recorder.h"
#include "collectors/switching/switch_order.h"
#include "paths/element_stage.h"
#include "tests/collectors/recording_test.h"
#include "tests/error_text.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr EventClasses writes{operation_kind, static_cast<std::uint8_t>(Verb::write)};
constexpr EventClasses operations{operation_kind, EventClasses::all_classes};
constexpr EventClasses regions{probe_kind, static_cast<std::uint8_t>(ProbeVerb::region)};

/// A path and the probes of one thread, and the switch of its process.
class CollectSwitchTest : public test::RecordingTest {
 protected:
  void write(std::int64_t value) { ASSERT_EQ(path.write(Tuple::of({value})), Status::ok); }
  std::vector<TraceTuple> records(test::RingMemory& of) {
    std::vector<TraceTuple> all;
    of.reader().read_after(0, 100, all);
    return all;
  }
  /// The sequence numbers of the tuples whose operations were recorded.
  std::vector<std::uint64_t> recorded_tuples() {
    std::vector<std::uint64_t> tuples;
    for (const TraceTuple& record : records(ring)) tuples.push_back(decode(record).parameter);
    return tuples;
  }
  std::vector<std::uint32_t> recorded_probes() {
    std::vector<std::uint32_t> names;
    for (const TraceTuple& record : records(probes)) names.push_back(probe_name_of(record));
    return names;
  }

  Element element{{"channel", {FieldType::integer}, 100}};
  CollectSwitch collecting;
  RecordedThread thread{&collecting};
  Path path{"send", make_event_collector(std::make_unique<ElementStage>(element), ring.writer(), identity,
                                         thread, Clock::instance())};
  test::RingMemory probes{100};
  ProbeRecorder recorder{probes.writer(), identity, thread, Clock::instance()};
};

TEST_F(CollectSwitchTest, OneInThreeIsExactlyEachThirdAndLooksLikeNoLoss) {
  collecting.set(operations, 3);
  for (int i = 0; i < 10; ++i) write(i);
  EXPECT_THAT(recorded_tuples(), ElementsAre(1, 4, 7, 10));
  std::vector<std::uint64_t> sequences;
  for (const TraceTuple& record : records(ring)) sequences.push_back(record.words[0]);
  EXPECT_THAT(sequences, ElementsAre(1, 2, 3, 4));
}

TEST_F(CollectSwitchTest, ClassesAreCountedApart) {
  collecting.set(operations, 2);
  for (int i = 0; i < 4; ++i) {
    write(i);
    ASSERT_TRUE(path.take());
  }
  std::vector<Verb> verbs;
  for (const TraceTuple& record : records(ring)) verbs.push_back(decode(record).verb);
  EXPECT_THAT(verbs, ElementsAre(Verb::write, Verb::take, Verb::write, Verb::take));
}

TEST_F(CollectSwitchTest, OneClassOfOneKindIsSwitchedOff) {
  collecting.set(writes, CollectSwitch::off);
  write(1);
  EXPECT_TRUE(path.take());
  recorder.point(5, {});
  EXPECT_EQ(recorded(), 1u);
  EXPECT_EQ(newest().verb, Verb::take);
  EXPECT_THAT(recorded_probes(), ElementsAre(5));
}

TEST_F(CollectSwitchTest, AClassWithoutAKindSwitchesNothing) {
  collecting.set({EventClasses::all_kinds, static_cast<std::uint8_t>(Verb::write)}, CollectSwitch::off);
  EXPECT_TRUE(collecting.is_complete());
  EXPECT_EQ(collecting.state(), CollectState());
  write(1);
  EXPECT_EQ(recorded(), 1u);
}

TEST_F(CollectSwitchTest, SwitchedOnAgainTheSwitchIsCompleteAgain) {
  collecting.set({}, CollectSwitch::off);
  collecting.set(writes, 7);
  EXPECT_FALSE(collecting.is_complete());
  collecting.set({}, CollectSwitch::everything);
  EXPECT_TRUE(collecting.is_complete());
  EXPECT_EQ(collecting.state(), CollectState());
}

TEST_F(CollectSwitchTest, TheProgramsOwnSwitchStandsAboveTheOthers) {
  collecting.set_by_program(false);
  collecting.set({}, CollectSwitch::everything);
  write(1);
  EXPECT_EQ(recorded(), 0u);
  collecting.set_by_program(true);
  write(2);
  EXPECT_EQ(recorded(), 1u);
}

TEST_F(CollectSwitchTest, AnOperationUnderWayWhenSwitchedOffIsRecordedToItsEnd) {
  Operation operation;
  operation.tuple = Tuple::of({std::int64_t{1}});
  path.stage().begin(operation);
  collecting.set({}, CollectSwitch::off);
  path.stage().finish(operation);
  EXPECT_EQ(recorded(), 1u);
  EXPECT_FALSE(ring.reader().in_flight());
}

TEST_F(CollectSwitchTest, ARegionEndsItsOwnBeginAlsoIfOnlyTheOuterOneIsRecorded) {
  collecting.set(regions, 2);
  recorder.begin(9);  // recorded
  recorder.begin(9);  // not recorded
  recorder.end(9, {});
  EXPECT_THAT(recorded_probes(), ElementsAre());
  EXPECT_TRUE(probes.reader().in_flight());
  recorder.end(9, {});
  EXPECT_THAT(recorded_probes(), ElementsAre(9));
  EXPECT_FALSE(probes.reader().in_flight());
}

TEST_F(CollectSwitchTest, RegionsThatBeganWhileOffAreNotRecordedWhenTheyEndWhileOn) {
  collecting.set({}, CollectSwitch::off);
  recorder.begin(1);
  collecting.set({}, CollectSwitch::everything);
  recorder.begin(2);
  recorder.end(1, {});  // ends both
  EXPECT_THAT(recorded_probes(), ElementsAre(2));
}

TEST_F(CollectSwitchTest, TheStateListsWhatDiffersFromTheRest) {
  collecting.set({}, 100);
  collecting.set(regions, CollectSwitch::off);
  collecting.set({200, EventClasses::all_classes}, CollectSwitch::everything);
  const CollectState state = collecting.state();
  EXPECT_EQ(state.period, 100u);
  EXPECT_EQ(describe(state), "1/100, but probe region off, kind 200 on");
  EXPECT_FALSE(state.is_complete_for(operation_kind));
  EXPECT_TRUE(state.is_complete_for(200));
  collecting.set({}, CollectSwitch::everything);
  collecting.set(regions, CollectSwitch::off);
  EXPECT_TRUE(collecting.state().is_complete_for(operation_kind));
  EXPECT_FALSE(collecting.state().is_complete_for(probe_kind));
}

TEST_F(CollectSwitchTest, TheStateOfJunkIsBounded) {
  for (std::uint8_t kind = 1; kind != 0; ++kind)
    for (std::uint8_t c = 0; c < 16; ++c) collecting.set({kind, c}, 1000u * kind + c);
  const CollectState state = collecting.state();
  EXPECT_EQ(state.exceptions.size(), CollectState::max_exceptions);
  EXPECT_TRUE(state.has_more);
  EXPECT_THAT(describe(state), HasSubstr("..."));
}

// Both writers check whether everything is on; neither may overlook the other's setting.
TEST_F(CollectSwitchTest, TwoWritersAtOnceNeverLeaveAReducedSwitchThatSeemsComplete) {
  for (int round = 0; round < 300; ++round) {
    collecting.set({}, 2);
    std::thread on([this] { collecting.set({}, CollectSwitch::everything); });
    std::thread off([this] { collecting.set(writes, CollectSwitch::off); });
    on.join();
    off.join();
    const bool is_off = collecting.period(writes.kind, writes.event_class) == CollectSwitch::off;
    ASSERT_EQ(collecting.is_complete(), !is_off);
  }
}

TEST_F(CollectSwitchTest, ThreadsRecordWhileOthersSwitch) {
  std::atomic<bool> over{false};
  std::thread switching([&] {
    for (std::uint32_t period = 0; !over; period = (period + 1) % 4) collecting.set(operations, period);
  });
  for (int i = 0; i < 3000; ++i) {
    write(i);
    ASSERT_TRUE(path.take());
  }
  over = true;
  switching.join();
  EXPECT_LE(recorded(), 6000u);
  EXPECT_FALSE(ring.reader().in_flight());
}

TEST_F(CollectSwitchTest, ThreadsThatShareACountRecordOneInNTogether) {
  collecting.set({}, 10);
  std::atomic<int> due{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) due += thread.records(operation_kind, 1) ? 1 : 0;
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(due, 400);
}

TEST(SwitchOrderTest, SettingsAreOnOffAndOneInN) {
  EXPECT_EQ(period_of("on"), 1u);
  EXPECT_EQ(period_of("off"), 0u);
  EXPECT_EQ(period_of("1/250"), 250u);
  for (const char* wrong : {"", "1/0", "1/", "1/-3", "0.5", "2/3", "1/99999999999", "1/3x", "On"}) {
    EXPECT_THAT(test::error_text<ConfigurationError>([&] { (void)period_of(wrong); }),
                HasSubstr("allowed: on, off, or 1/N"));
  }
}

TEST(SwitchOrderTest, EventsAreNamedByKindAndClass) {
  EXPECT_THAT(events_named("", ""), ElementsAre(EventClasses{}));
  EXPECT_THAT(events_named("operation", ""), ElementsAre(operations));
  EXPECT_THAT(events_named("operation", "write"), ElementsAre(writes));
  EXPECT_THAT(events_named("", "region"), ElementsAre(regions));
}

TEST(SwitchOrderTest, UnknownNamesGetTheNearestAndTheKnownOnes) {
  const auto fault_of = [](const char* kind, const char* event_class) -> std::string {
    return test::error_text<ConfigurationError>([&] { (void)events_named(kind, event_class); });
  };
  EXPECT_THAT(fault_of("operatoin", ""),
              HasSubstr("unknown kind of event 'operatoin'; did you mean 'operation'?"));
  EXPECT_THAT(fault_of("", "wrte"), HasSubstr("unknown class of events 'wrte'; did you mean 'write'?"));
  EXPECT_THAT(fault_of("probe", "write"),
              HasSubstr("unknown class of kind 'probe' 'write'; known: point, region"));
}

}  // namespace
}  // namespace eventspace
