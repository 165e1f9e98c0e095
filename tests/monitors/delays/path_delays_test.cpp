#include "monitors/delays/path_delays.h"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <vector>

#include "monitors/delays/delay_report.h"
#include "monitors/delays/delay_text.h"
#include "tests/monitors/heartbeat/made_up_look.h"

// Which threads delay the others, from made-up records of operations on paths.
namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// a writes to the box, b takes from it and writes to the pipe, c takes from that; all meet. the writer of
// `log` is not recorded; `small` has room for one tuple.
constexpr const char* line_pathmap = R"(
pathmap: 1
name: line
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}}}
application:
  threads: [a, b, c]
  elements:
    - {name: box, tuple: [int], threshold: 50, when_full: wait}
    - {name: pipe, tuple: [int], threshold: 50, when_full: wait}
    - {name: log, tuple: [int], threshold: 50, when_full: wait}
    - {name: small, tuple: [int], threshold: 1, when_full: wait}
  paths:
    - {thread: a, name: put, element: box, use: write}
    - {thread: b, name: get, element: box, use: read}
    - {thread: b, name: pass, element: pipe, use: write}
    - {thread: c, name: end, element: pipe, use: read}
    - {thread: a, name: note, element: log, use: write}
    - {thread: c, name: look, element: log, use: read}
    - {thread: a, name: push, element: small, use: write}
    - {thread: b, name: pull, element: small, use: read}
  collectives: {meet: {kind: barrier, threads: "*"}}
placement:
  processes: {p0: {node: n1, port: 7201, threads: "*"}}
  elements: [{elements: "*", process: p0}]
collect:
  points:
    - {at: [thread, element], paths: "{put,get,pass,end,push,pull,meet,look}"}
scopes:
  whole: {levels: [{group: all, wrapper: gather}]}
)";

class Line : public testing_commands::MadeUpLook, public testing::Test {
 public:
  Line() : MadeUpLook(line_pathmap, "whole", 2) {}

 protected:
  // `begin` and `end`: ms. Recorded at both points of the path, which count once.
  void did(const std::string& thread, const std::string& path, Verb verb, std::uint64_t number, double begin,
           double end, Status status = Status::ok) {
    EventRecord record = record_of(thread, path, verb);
    record.parameter = number;
    record.start = static_cast<std::uint64_t>(begin * 1e6);
    record.end = static_cast<std::uint64_t>(end * 1e6);
    record.status = status;
    for (const std::uint16_t point : points) {
      record.point = point;
      record.sequence = ++sequence_[{record.path, point}];
      view_.records.push_back(encode(record));
    }
  }
  void lose(const std::string& thread, const std::string& path) {
    const std::uint32_t number = path_of(thread, path).number32();
    for (const std::uint16_t point : points) ++sequence_[{number, point}];
  }
  // a is slow, b takes from it and passes on, c waits for b.
  void step(std::uint64_t number) {
    const double begin = static_cast<double>(number) * 10;
    did("a", "put", Verb::write, number, begin + 9, begin + 9.01);
    did("b", "get", Verb::take, number, begin + 1.1, begin + 9.02);
    did("b", "pass", Verb::write, number, begin + 10, begin + 10.01);
    did("c", "end", Verb::take, number, begin + 1.1, begin + 10.02);
  }
  DelayReport report() {
    delays_.add(view_);
    view_.records.clear();
    delays_.finish();
    return report_delays(delays_.origins());
  }
  std::string said() { return describe_delays(report(), names_); }

  static constexpr std::array<std::uint16_t, 2> points{0, 1};
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint64_t> sequence_;
  PathDelays delays_{*plan_, names_};
};

TEST_F(Line, TheSlowWriterIsNamedAndNotTheOneThatPassesItsDelayOn) {
  for (std::uint64_t number = 1; number <= 60; ++number) step(number);
  const DelayReport delays = report();
  EXPECT_THAT(describe_first_cause(delays, names_), StartsWith("FIRST CAUSE a: "));
  EXPECT_THAT(describe_first_cause(delays, names_),
              HasSubstr(" that 2 threads waited for others began with it; it waited 0ns itself"));
  EXPECT_EQ(json_of_delays(delays, names_).dump().substr(0, 41),
            R"({"finding":"first cause","causes":["a"],")");
  const auto rows = delay_rows(delays, names_, false);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][0].plain(), "a");
  EXPECT_EQ(rows[0][5].plain(), "true");
}

TEST_F(Line, ViewsMayComeInAnyParts) {
  for (std::uint64_t number = 1; number <= 60; ++number) step(number);
  const std::vector<TraceTuple> all = view_.records.whole();
  View part = view_;
  for (std::size_t from = 0; from < all.size(); from += 7) {
    part.records.clear();
    for (std::size_t i = from; i < std::min(from + 7, all.size()); ++i) part.records.push_back(all[i]);
    for (ProcessReport& process : part.processes) {
      process.now_ticks = header_of(all[from]).end;
      process.now_monotonic_ns = static_cast<std::int64_t>(process.now_ticks);
    }
    delays_.add(part);
    delays_.settle();
  }
  view_.records.clear();
  EXPECT_THAT(said(), StartsWith("FIRST CAUSE a: "));
}

TEST_F(Line, WritersThatWaitForRoomWaitForTheTaker) {
  for (std::uint64_t number = 1; number <= 60; ++number) {
    const double begin = static_cast<double>(number) * 10;
    did("b", "pull", Verb::take, number, begin + 9, begin + 9.01);
    did("a", "push", Verb::write, number + 1, begin + 1, begin + 9.02);
  }
  EXPECT_THAT(said(), StartsWith("FIRST CAUSE b: "));
}

TEST_F(Line, TakesInVainAndTheOneThatEndsThemAreOneWait) {
  for (std::uint64_t number = 1; number <= 60; ++number) {
    const double begin = static_cast<double>(number) * 10;
    did("a", "put", Verb::write, number, begin + 9, begin + 9.01);
    for (int poll = 1; poll < 9; ++poll)
      did("b", "get", Verb::take, 0, begin + poll, begin + poll + 0.01, Status::empty);
    did("b", "get", Verb::take, number, begin + 9.02, begin + 9.03);
  }
  const DelayReport delays = report();
  EXPECT_THAT(describe_delays(delays, names_), StartsWith("FIRST CAUSE a: "));
  EXPECT_NEAR(delays.waited / 59, 8.01e6, 1e4);
}

TEST_F(Line, TheLastOfACollectiveIsNamed) {
  for (std::uint64_t number = 1; number <= 60; ++number) {
    const double begin = static_cast<double>(number) * 10;
    for (const char* const thread : {"a", "b"})
      did(thread, "meet", Verb::exchange, number, begin + 1, begin + 9.1);
    did("c", "meet", Verb::exchange, number, begin + 9, begin + 9.1);
  }
  EXPECT_THAT(said(), StartsWith("FIRST CAUSE c: "));
}

TEST_F(Line, WaitsForWhatIsNotRecordedAreUnknown) {
  for (std::uint64_t number = 1; number <= 60; ++number) {
    const double begin = static_cast<double>(number) * 10;
    did("c", "look", Verb::take, number, begin + 1, begin + 9);
  }
  EXPECT_THAT(said(), StartsWith("first cause unknown: the origin of 480ms of 480ms of waiting is unknown"));
}

TEST_F(Line, LostRecordsMakeTheirWaitsUnknownAndAreSaid) {
  for (std::uint64_t number = 1; number <= 90; ++number) {
    if (number % 10 != 5) {
      step(number);
    } else {
      for (const auto& [thread, path] : {std::pair("a", "put"), {"b", "get"}, {"b", "pass"}, {"c", "end"}})
        lose(thread, path);
    }
  }
  const DelayReport delays = report();
  EXPECT_THAT(describe_delays(delays, names_), StartsWith("FIRST CAUSE a: "));
  EXPECT_THAT(describe_delays(delays, names_), HasSubstr("; the origin of another "));
  EXPECT_GT(delays.lost, 0);
}

TEST_F(Line, OneLookThatHasReadAllIsEnough) {
  for (std::uint64_t number = 1; number <= 60; ++number) step(number);
  for (ProcessReport& process : view_.processes) process.now_ticks = 700'000'000;
  delays_.add(view_);
  delays_.settle();
  EXPECT_THAT(describe_first_cause(report_delays(delays_.origins()), names_), StartsWith("FIRST CAUSE a: "));
}

TEST_F(Line, WhatEndedAfterTheViewWasMadeIsHeldBack) {
  for (std::uint64_t number = 1; number <= 60; ++number) step(number);
  for (ProcessReport& process : view_.processes) process.now_ticks = 5'000'000;
  delays_.add(view_);
  delays_.settle();
  EXPECT_EQ(report_delays(delays_.origins()).observed, 0);
}

TEST_F(Line, AnotherRunOfTheProgramBeginsAnew) {
  for (std::uint64_t number = 1; number <= 60; ++number) step(number);
  delays_.add(view_);
  delays_.settle();
  view_.records.clear();
  sequence_.clear();
  for (ProcessReport& process : view_.processes) process.start_ticks = 7;
  EXPECT_EQ(report().finding, DelayReport::Finding::nothing);
}

}  // namespace
}  // namespace eventspace
