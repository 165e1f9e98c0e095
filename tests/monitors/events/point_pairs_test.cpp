#include "monitors/events/point_pairs.h"

#include <gmock/gmock.h>

#include <random>

#include "pathmaps/pathmap.h"

// The two records of an operation, made by hand: no process, no socket.
namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint16_t at_thread = 0;
constexpr std::uint16_t at_element = 1;

/// The record of a write of tuple `number` on path 5, which begins at `start` and takes 10.
EventRecord record(std::uint16_t point, std::uint64_t number, std::uint64_t start) {
  EventRecord record;
  record.thread = 3;
  record.path = 5;
  record.point = point;
  record.verb = Verb::write;
  record.status = Status::ok;
  record.parameter = number;
  record.sequence = number;
  record.start = start;
  record.end = start + (point == at_thread ? 10 : 4);
  return record;
}

EventRecord in_flight(std::uint16_t point, std::uint64_t start) {
  EventRecord begun = record(point, 0, start);
  begun.end = 0;
  return begun;
}

bool encloses(const RecordHeader& thread, const RecordHeader& element) {
  return thread.start <= element.start && (thread.in_flight() || element.end <= thread.end);
}

class PointPairsTest : public testing::Test {
 protected:
  /// "thread 1", "element 2" and "both 3": the rows by their points and numbers of tuples.
  std::vector<std::string> add(const std::vector<EventRecord>& records) {
    view_.clear();
    for (const EventRecord& record : records) view_.push_back(encode(record));
    return words(pairs_.add(view_));
  }
  static std::vector<std::string> words(const std::vector<EventRow>& rows) {
    std::vector<std::string> words;
    for (const EventRow& row : rows) {
      const EventRecord record = decode(row.records.back());
      const char* const point = record.point == at_thread ? "thread " : "element ";
      words.push_back((row.at_element != nullptr ? "both " : point) + std::to_string(record.parameter));
      if (row.at_element != nullptr) {
        EXPECT_EQ(record.point, at_thread);
        EXPECT_EQ(header_of(*row.at_element).point, at_element);
        EXPECT_EQ(decode(*row.at_element).parameter, record.parameter);
      }
    }
    return words;
  }

  PointPairs pairs_{{5}, encloses};
  std::vector<TraceTuple> view_;
};

TEST_F(PointPairsTest, TheTwoEndsOfAnOperationAreOneRowInWhicheverOrderTheyCome) {
  EXPECT_THAT(add({record(at_element, 1, 103), record(at_thread, 1, 100), record(at_thread, 2, 200),
                   record(at_element, 2, 203)}),
              ElementsAre("both 1", "both 2"));
  EXPECT_THAT(pairs_.rest(), IsEmpty());
}

TEST_F(PointPairsTest, AnEndThatComesWithTheNextViewIsWaitedFor) {
  EXPECT_THAT(add({record(at_element, 1, 103), record(at_thread, 1, 100), record(at_element, 2, 203)}),
              ElementsAre("both 1"));
  EXPECT_THAT(add({record(at_thread, 2, 200), record(at_thread, 3, 300)}), ElementsAre("both 2"));
  EXPECT_THAT(words(pairs_.rest()), ElementsAre("thread 3"));
}

TEST_F(PointPairsTest, AnEndWithoutItsOtherEndIsARowOfItsOwnAfterOneMoreView) {
  EXPECT_THAT(add({record(at_element, 1, 103)}), IsEmpty());
  EXPECT_THAT(add({record(at_element, 2, 203), record(at_thread, 2, 200)}),
              ElementsAre("element 1", "both 2"));
  EXPECT_THAT(pairs_.rest(), IsEmpty());
}

TEST_F(PointPairsTest, RecordsOfAPathThatIsReadAtOneEndAreNotKept) {
  PointPairs one_end({}, encloses);
  const std::vector<TraceTuple> view{encode(record(at_element, 1, 103))};
  EXPECT_THAT(words(one_end.add(view)), ElementsAre("element 1"));
}

TEST_F(PointPairsTest, ReadsOfTheSameTupleAreToldApartByTheirTimes) {
  EXPECT_THAT(add({record(at_thread, 7, 100), record(at_thread, 7, 200), record(at_element, 7, 203),
                   record(at_element, 7, 303), record(at_thread, 7, 300)}),
              ElementsAre("both 7", "both 7"));
  EXPECT_THAT(words(pairs_.rest()), ElementsAre("thread 7"));
}

TEST_F(PointPairsTest, AnOperationInFlightAtBothEndsIsOneRowAndNotKept) {
  EXPECT_THAT(add({in_flight(at_thread, 100), in_flight(at_element, 103)}), ElementsAre("both 0"));
  EXPECT_THAT(add({in_flight(at_thread, 200)}), ElementsAre("thread 0"));
  EXPECT_THAT(pairs_.rest(), IsEmpty());
}

TEST_F(PointPairsTest, OtherVerbsThreadsPathsAndKindsAreOtherEvents) {
  const EventRecord thread = record(at_thread, 1, 100);
  for (int which = 0; which < 4; ++which) {
    EventRecord element = record(at_element, 1, 103);
    if (which == 0) element.verb = Verb::take;
    if (which == 1) element.thread = 4;
    if (which == 2) element.path = 6;
    if (which == 3) element.kind = 2;
    PointPairs pairs({}, encloses);
    const std::vector<TraceTuple> view{encode(thread), encode(element)};
    EXPECT_THAT(pairs.add(view), SizeIs(2)) << which;
  }
}

// Whatever the order and the cuts between views, each record is in exactly one row.
TEST_F(PointPairsTest, NoRecordIsLostOrShownTwice) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    PointPairs pairs({5}, encloses);
    std::size_t given = 0;
    std::size_t shown = 0;
    const auto count = [&shown](const std::vector<EventRow>& rows) {
      for (const EventRow& row : rows) shown += row.records.size() + (row.at_element != nullptr ? 1 : 0);
    };
    for (int view = 0; view < 5; ++view) {
      std::vector<TraceTuple> records;
      for (auto i = random() % 20; i > 0; --i)
        records.push_back(encode(record(random() % 2, random() % 4, 100 * (random() % 5) + random() % 2)));
      given += records.size();
      count(pairs.add(records));
    }
    count(pairs.rest());
    EXPECT_EQ(shown, given) << "seed " << seed;
  }
}

TEST(PathsReadAtBoth, AreThePathsWithTraceElementsThatTheScopeReadsAtBothEnds) {
  const LoadResult loaded = parse_plan(R"(
pathmap: 1
name: pair
cluster: {nodes: {n1: {}}}
application:
  threads: [a]
  elements: [{name: one, tuple: [int]}, {name: two, tuple: [int]}]
  paths: [{thread: a, name: in, element: one, use: write}, {thread: a, name: out, element: two, use: write}]
placement: {processes: {p0: {node: n1, threads: "*"}}}
collect: {points: [{at: [thread, element], paths: in}, {at: [thread], paths: out}]}
scopes:
  all: {at: [thread, element], levels: [{group: all, wrapper: gather}]}
  ends: {at: [element], levels: [{group: all, wrapper: gather}]}
)",
                                       "pair.yaml");
  ASSERT_TRUE(loaded.plan) << to_string(loaded.faults.front());
  const auto both = paths_read_at_both(*loaded.plan->find_scope("all"), *loaded.plan);
  ASSERT_THAT(both, SizeIs(1));
  EXPECT_EQ(loaded.plan->paths[PathIndex(*both.begin())].name, "in");
  EXPECT_THAT(paths_read_at_both(*loaded.plan->find_scope("ends"), *loaded.plan), IsEmpty());
}

}  // namespace
}  // namespace eventspace
