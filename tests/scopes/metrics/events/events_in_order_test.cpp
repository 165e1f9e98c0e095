#include "scopes/metrics/events/events_in_order.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/scopes/metrics/evaluation/observed_run.h"

namespace eventspace::metrics {
namespace {

using test::ObservedRun;

/// Views of a run whose first process is complete until a time; times are in milliseconds.
class EventsInOrderTest : public testing::Test {
 protected:
  /// Takes the new events. Returns the ends of the released events, in ms; late ones have a "!".
  std::string take(std::uint64_t complete_ms) {
    view = run.view();
    for (ProcessReport& report : view.processes)
      if (report.process == 0) report.complete_ticks = complete_ms * 1'000'000;
    std::vector<TimedEvents::Event> events;
    TimedEvents timed(run.names);
    timed.begin(view);
    timed.for_each(
        view.records.whole(), [](std::span<const TraceTuple>) { return std::size_t{0}; },
        [](const TraceTuple&) { return true; }, [](const auto&, auto) { return false; },
        [&](const TimedEvents::Event& event) { events.push_back(event); });
    order.take(view, events);
    std::string ends;
    for (const TimedEvents::Event& event : events)
      ends +=
          fmt::format("{}{}{}", ends.empty() ? "" : " ", event.end_ns / 1'000'000, event.is_late ? "!" : "");
    return ends;
  }
  void write(std::initializer_list<int> ends, std::uint32_t process = 0) {
    for (const int end : ends) run.write(process, end - 0.5, end, 1);
  }

  ObservedRun run;
  View view;
  EventsInOrder order{4};
};

TEST_F(EventsInOrderTest, AnEventWaitsUntilAllThatEndedBeforeItAreThere) {
  write({1, 2, 5});
  EXPECT_EQ(take(3), "1 2");
  write({3, 4, 6});
  EXPECT_EQ(take(5), "3 4 5");
  EXPECT_EQ(take(6), "6");
  EXPECT_EQ(take(9), "");
}

TEST_F(EventsInOrderTest, OneProcessDoesNotWaitForAnother) {
  write({5});
  write({7}, 1);
  EXPECT_EQ(take(3), "7");
  write({8}, 1);
  EXPECT_EQ(take(3), "8");
  EXPECT_EQ(take(6), "5");
}

TEST_F(EventsInOrderTest, EventsOfSeveralRecordsWaitWhole) {
  MpiCallRecord call;
  run.mpi(0, 1, 5, "MPI_Waitall", call, {call, call});
  EXPECT_EQ(take(3), "");
  EXPECT_EQ(take(9), "5");
}

TEST_F(EventsInOrderTest, WithoutRoomAllGoOnAndTheyAndEarlierOnesAreMarked) {
  write({4, 5, 6, 7});
  EXPECT_EQ(take(3), "");
  write({8});
  EXPECT_EQ(take(3), "4! 5! 6! 7! 8!");
  write({3, 9});
  EXPECT_EQ(take(4), "3!");
  write({10});
  EXPECT_EQ(take(20), "9 10");
}

TEST_F(EventsInOrderTest, TheProcessWithMostGoesOnFirst) {
  write({4, 5, 6});
  EXPECT_EQ(take(3), "");
  write({7});
  write({8}, 1);
  EXPECT_EQ(take(3), "8");
  write({9});
  EXPECT_EQ(take(3), "4! 5! 6! 7! 9!");
}

TEST_F(EventsInOrderTest, EventsOfAProcessThatIsNoLongerReportedGoOn) {
  write({5});
  EXPECT_EQ(take(3), "");
  run.leave(0);
  write({6}, 1);
  EXPECT_EQ(take(3), "5 6");
}

}  // namespace
}  // namespace eventspace::metrics
