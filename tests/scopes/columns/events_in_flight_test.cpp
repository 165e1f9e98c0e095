#include "scopes/columns/events_in_flight.h"

#include <gmock/gmock.h>

#include "collectors/record_header.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TraceTuple recorded(std::uint32_t path, std::uint64_t start, std::uint64_t end, std::uint8_t part = 0) {
  TraceTuple tuple;
  tuple.words = {0, start, record_words::thread_path(1, path), record_words::kind(1, 0, part), end};
  return tuple;
}

View view_of(const std::vector<TraceTuple>& records) {
  View view;
  for (const TraceTuple& record : records) view.records.push_back(record);
  return view;
}

std::vector<std::uint64_t> starts_of(const std::vector<TraceTuple>& records) {
  std::vector<std::uint64_t> starts;
  for (const TraceTuple& record : records) starts.push_back(header_of(record).start);
  return starts;
}

TEST(EventsInFlightTest, AreReturnedOnceInTheOrderInWhichTheyBegan) {
  EventsInFlight in_flight;
  EXPECT_THAT(
      starts_of(in_flight.take(view_of({recorded(1, 10, 12), recorded(1, 30, 0), recorded(2, 20, 0)}))),
      ElementsAre(20, 30));
  EXPECT_THAT(
      starts_of(in_flight.take(view_of({recorded(1, 30, 0), recorded(2, 20, 25), recorded(2, 40, 0)}))),
      ElementsAre(40));
}

TEST(EventsInFlightTest, HaveTheirContinuationRecordsInFront) {
  EventsInFlight in_flight;
  EXPECT_THAT(
      starts_of(in_flight.take(view_of({recorded(1, 30, 30, 1), recorded(1, 30, 0), recorded(2, 20, 0)}))),
      ElementsAre(20, 30, 30));
}

TEST(EventsInFlightTest, AnEventThatIsMissingInAPartialViewIsNotShownAgain) {
  EventsInFlight in_flight;
  (void)in_flight.take(view_of({recorded(1, 30, 0)}));
  View partial;
  partial.missing.emplace_back();
  EXPECT_THAT(in_flight.take(partial), IsEmpty());
  EXPECT_THAT(in_flight.take(view_of({recorded(1, 30, 0)})), IsEmpty());
}

TEST(EventsInFlightTest, ReplacedEventsAreForgottenInPartialViewsToo) {
  EventsInFlight in_flight;
  for (std::uint64_t start = 1; start <= 100; ++start) {
    View partial = view_of({recorded(1, start, 0)});
    partial.missing.emplace_back();
    EXPECT_THAT(starts_of(in_flight.take(partial)), ElementsAre(start));
    EXPECT_THAT(in_flight.take(partial), IsEmpty());
  }
  EXPECT_EQ(in_flight.size(), 1u);
}

TEST(EventsInFlightTest, EndedEventsAreDropped) {
  EventsInFlight in_flight;
  std::vector<TraceTuple> rows = in_flight.take(view_of({recorded(1, 30, 0), recorded(2, 20, 0)}));
  const std::vector<TraceTuple> ended{recorded(1, 30, 33), recorded(1, 40, 41)};
  EventsInFlight::drop_ended(rows, ended);
  EXPECT_THAT(starts_of(rows), ElementsAre(20));
}

}  // namespace
}  // namespace eventspace
