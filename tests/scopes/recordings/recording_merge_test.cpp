#include "scopes/recordings/recording_merge.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>

#include "collectors/event_record.h"
#include "tests/scopes/recordings/recorded.h"

// Recordings of the nodes of one run become one: process 0 is in the first, 1 in the second, 2 in the third.
namespace eventspace::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RecordingMerge : public Recorded {
 protected:
  static std::uint32_t thread_of(std::uint32_t process) { return 10 * process + 1; }

  // Three rounds, each with one event that ends at 100, 200 and 300 ms, shifted by `later`.
  void record(const std::string& name, std::uint32_t process, std::int64_t later = 0,
              const std::function<void(RecordingWriter::Config&)>& change = {}) const {
    auto wanted = config(name);
    wanted.session.begun_ns = later;
    if (change) change(wanted);
    RecordingWriter writer(wanted);
    for (std::uint64_t i = 1; i <= 3; ++i) {
      const std::int64_t ended = static_cast<std::int64_t>(i) * 100 * ms + later;
      const TraceTuple record = event(10 * process + i, static_cast<std::uint64_t>(ended - ms),
                                      static_cast<std::uint64_t>(ended), thread_of(process));
      View view = view_of({record}, {process});
      view.loss.torn = 1;
      writer.add_events(std::move(view), ended + ms);
      writer.add_state(view_of({record}, {process}), ended + 2 * ms);
    }
    writer.end({.reason = "end", .ended_ns = later + 310 * ms});
  }

  // Merges into "all.evs".
  void merge(const std::vector<std::string>& files, const MergeSettings& settings = {}) {
    replays_.clear();
    std::vector<Replay*> replays;
    for (const std::string& name : files)
      replays.push_back(replays_
                            .emplace_back(std::make_unique<Replay>(RecordingReader(file(name)), names_,
                                                                   std::vector<RecordedTrace>{}))
                            .get());
    auto merged = config("all.evs");
    merged.session = merged_session(replays, settings, "test");
    merged.replaces = true;
    RecordingWriter writer(merged);
    merge_recordings(replays, settings, writer);
  }
  std::string why_not(const std::vector<std::string>& files, const MergeSettings& settings = {}) {
    return refusal([&] { merge(files, settings); });
  }

  std::vector<std::unique_ptr<Replay>> replays_;
};

TEST_F(RecordingMerge, EventsOfThreeNodesComeInTheOrderOfTheirTimes) {
  record("a.evs", 0);
  record("b.evs", 1, 30 * ms);
  record("c.evs", 2, 60 * ms);
  merge({"c.evs", "a.evs", "b.evs"});
  const RecordingReader reader(file("all.evs"));
  EXPECT_EQ(told(reader), "1 11 21 2 12 22 3 13 23");
  EXPECT_EQ(reader.end()->events, 9u);
  EXPECT_EQ(reader.end()->loss.torn, 9u);
  EXPECT_THAT(reader.end()->reason, HasSubstr("merged from c.evs, a.evs, b.evs"));
  EXPECT_EQ(reader.session().begun_ns, 0) << "of the earliest";
  EXPECT_FALSE(reader.damage().any());
}

TEST_F(RecordingMerge, AMomentShowsAllNodes) {
  record("a.evs", 0);
  record("b.evs", 1, 30 * ms);
  merge({"a.evs", "b.evs"}, {.state_every = std::chrono::milliseconds(100)});
  Replay replay(RecordingReader(file("all.evs")), names_, {});
  replay.set_now_ns(240 * ms);
  EXPECT_EQ(test::told(*replay.newest()), "2 12");
  EXPECT_EQ(replay.newest()->processes.size(), 2u);
  replay.set_now_ns(215 * ms);
  EXPECT_EQ(test::told(*replay.newest()), "2 11");
}

TEST_F(RecordingMerge, ClocksOfDifferentMachinesNeedABoundWhichIsKept) {
  record("a.evs", 0);
  const auto elsewhere = [](RecordingWriter::Config& config) {
    config.session.clock = "clock b";
    config.session.node = "n2";
    config.session.realtime_ns -= 5'000 * ms;  // was started 5 s earlier
  };
  record("b.evs", 1, 5'030 * ms, elsewhere);
  EXPECT_THAT(why_not({"a.evs", "b.evs"}),
              AllOf(HasSubstr("a.evs and "),
                    HasSubstr("b.evs do not belong together: they were recorded on "
                              "different machines (n1 and n2)"),
                    HasSubstr("merge with --clocks-within 1ms")));
  merge({"a.evs", "b.evs"}, {.clocks_within = std::chrono::microseconds(700)});
  const RecordingReader reader(file("all.evs"));
  EXPECT_EQ(told(reader), "1 11 2 12 3 13");
  for (std::size_t i = 0; i < reader.chunks().size(); ++i) {
    for (const ProcessReport& report : reader.view(i).processes) {
      if (report.process != 1) continue;
      const BoundedTime time = report.here(5'130 * ms);
      EXPECT_EQ(time.ns, 130 * ms);
      EXPECT_THAT(time.error_ns.value_or(0), AllOf(testing::Ge(700'000), testing::Le(700'002)));
    }
  }
}

TEST_F(RecordingMerge, WhatDoesNotBelongTogetherIsRefusedWithTheReason) {
  record("a.evs", 0);
  record("session.evs", 1, 0, [](auto& config) { config.session.session = "oil"; });
  EXPECT_THAT(why_not({"a.evs", "session.evs"}), HasSubstr("they are of the sessions 'gas' and 'oil'"));
  record("pathmap.evs", 1, 0, [](auto& config) { config.session.pathmap += "name: x\n"; });
  EXPECT_THAT(why_not({"a.evs", "pathmap.evs"}), HasSubstr("their pathmaps differ"));
  record("later.evs", 1, 60'000 * ms);
  EXPECT_THAT(why_not({"a.evs", "later.evs"}),
              HasSubstr("the second was begun 59.698s after the first had ended"));
  EXPECT_THAT(why_not({"later.evs", "a.evs"}),
              HasSubstr("the second was over 59.698s before the first began"));
  record("same.evs", 0);
  EXPECT_THAT(why_not({"a.evs", "same.evs"}), HasSubstr("both have events of process p0"));
}

TEST_F(RecordingMerge, ANumberWithTwoNamesIsRefused) {
  for (const char* const name : {"first", "second"}) {
    RecordingWriter writer(config(name));
    View view = view_of({}, {});
    view.names.push_back({OwnNameOf::probe, 12, name});
    writer.add_events(std::move(view), ms);
    writer.end({.reason = "end"});
  }
  EXPECT_THAT(why_not({"first", "second"}),
              HasSubstr("number 12 is 'first' in one and 'second' in the other"));
}

TEST_F(RecordingMerge, EventsOfOneTraceElementStayInTheirOrderWithTheirContinuations) {
  {
    RecordingWriter writer(config("a.evs"));
    TraceTuple part = event(2, 50 * ms, 90 * ms);
    part.words[3] |= 1u << 8;  // RecordHeader::part
    writer.add_events(
        view_of({event(1, 10 * ms, 20 * ms), part, event(3, 50 * ms, 90 * ms), event(4, 95 * ms, 260 * ms)}),
        310 * ms);
    writer.end({.reason = "end"});
  }
  record("b.evs", 1);
  merge({"a.evs", "b.evs"});
  EXPECT_EQ(told("all.evs"), "1 2 3 11 12 4 13");
}

}  // namespace
}  // namespace eventspace::test
