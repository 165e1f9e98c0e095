// From the file of a recording to the input of sinks.
#include "monitors/export/reading/recorded_events.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "collectors/probe_record.h"
#include "monitors/watching/recorded_session.h"
#include "pathmaps/pathmap.h"
#include "scopes/recordings/recording_writer.h"
#include "tests/monitors/mpi/job_story.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::exports {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::SizeIs;

constexpr const char* pathmap = R"(pathmap: 1
name: market
cluster: {nodes: {n1: {}}}
application:
  threads: [w0, r0]
  elements: [{name: queue, tuple: [int], threshold: 50}]
  paths:
    - {thread: w0, name: put, element: queue, use: write}
    - {thread: r0, name: get, element: queue, use: read}
placement:
  processes:
    writers: {node: n1, threads: [w0]}
    readers: {node: n1, threads: [r0]}
  elements: [{elements: queue, process: readers}]
collect: {points: [{at: thread}]}
)";

/// Writes a line for each call. Times are milliseconds.
class TellingSink final : public Sink {
 public:
  std::vector<std::string> lines;
  std::vector<std::string> messages;
  std::map<std::string, std::uint64_t> counters;
  bool has_ended{false};

  void begin(const Recorded& recorded) override { realtime_ns = recorded.realtime_ns; }
  void add(const Track& track) override {
    tracks.push_back(fmt::format("{}/{}/{}{}", track.node, track.process_name, track.thread,
                                 track.lane == 0 ? "" : fmt::format("#{}", track.lane)));
  }
  void add(const Slice& slice) override {
    lines.push_back(fmt::format("{} {} {}-{}{}{}", tracks.at(slice.track - 1), slice.name, ms(slice.begin_ns),
                                ms(slice.end_ns), slice.in_flight ? " in flight" : "",
                                slice.is_instant ? " point" : ""));
    for (const MessageEnd& end : slice.messages)
      messages.push_back(
          fmt::format("{} {} {}", end.message, end.receives ? "to" : "from", tracks.at(slice.track - 1)));
    for (const Argument& argument : slice.arguments) arguments.push_back(std::string(argument.name()));
  }
  void add(const Counter& counter) override { counters[std::string(counter.name)] = counter.value; }
  void add(const LostEvents& lost) override {
    lines.push_back(fmt::format("{} lost {} {}-{}", tracks.at(lost.track - 1), lost.records,
                                ms(lost.begin_ns), ms(lost.end_ns)));
  }
  void end(const Totals&) override { has_ended = true; }

  std::vector<std::string> tracks, arguments;
  std::int64_t realtime_ns{0};

 private:
  static double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }
};

class RecordedEventsTest : public testing::Test {
 protected:
  static constexpr std::uint32_t writers = 0, readers = 1;

  RecordedEventsTest() : plan_(*parse_plan(pathmap, "market.yaml").plan) {
    names_ = std::make_shared<NamesOfPlan>(std::make_shared<const Plan>(plan_));
    begin("run.evs");
  }
  void begin(const std::string& name) {
    file_ = directory_.path() / name;
    writer_.emplace(RecordingWriter::Config{.file = file_,
                                            .session = {"market", pathmap, "n1", "0.1", 0, 5'000'000'000},
                                            .names = names_.get(),
                                            .collects = std::chrono::nanoseconds(0)});
  }

  [[nodiscard]] std::uint32_t path(const std::string& name) const {
    for (const PathIndex index : plan_.paths.indices()) {
      if (plan_.paths[index].name == name) return index.number32();
    }
    return 0;
  }
  static std::uint64_t ns(double ms) { return static_cast<std::uint64_t>(ms * 1e6); }
  /// An operation of w0, or of r0, on its path.
  [[nodiscard]] TraceTuple operation(Verb verb, std::uint64_t sequence, double begin_ms, double end_ms,
                                     std::uint64_t tuple = 0) const {
    EventRecord record;
    record.sequence = sequence;
    record.start = ns(begin_ms);
    record.end = ns(end_ms);
    record.thread = verb == Verb::write ? 0 : 1;
    record.path = path(verb == Verb::write ? "put" : "get");
    record.verb = verb;
    record.status = end_ms == 0 ? Status::under_way : Status::ok;
    record.parameter = tuple;
    return encode(record);
  }
  static ProcessReport report(std::uint32_t process, double now_ms, std::int32_t pid = 0) {
    ProcessReport made;
    made.process = process;
    made.pid = pid == 0 ? 100 + static_cast<std::int32_t>(process) : pid;
    made.now_ticks = ns(now_ms);
    made.now_monotonic_ns = static_cast<std::int64_t>(ns(now_ms));
    return made;
  }
  static View view(std::vector<TraceTuple> records, double now_ms,
                   std::vector<std::uint32_t> processes = {0, 1}) {
    View made;
    made.records = Records(std::move(records));
    for (const std::uint32_t process : processes) made.processes.push_back(report(process, now_ms));
    return made;
  }
  void events(std::vector<TraceTuple> records, double now_ms) {
    events(view(std::move(records), now_ms), now_ms);
  }
  void events(View made, double now_ms) {
    writer_->add_events(std::move(made), static_cast<std::int64_t>(ns(now_ms)));
  }
  void state(std::vector<TraceTuple> records, double now_ms) {
    writer_->add_state(view(std::move(records), now_ms), static_cast<std::int64_t>(ns(now_ms)));
  }
  void end(double now_ms) {
    writer_->end({.reason = "end", .ended_ns = static_cast<std::int64_t>(ns(now_ms))});
    writer_.reset();
  }

  std::optional<Totals> read(TellingSink& sink, RecordedEvents::Settings settings = {}) {
    writer_.reset();
    const Watched watched = open_recorded(file_, "");
    settings.directory = directory_.path();
    return RecordedEvents(watched, settings).run(sink);
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path file_;
  Plan plan_;
  std::shared_ptr<NamesOfPlan> names_;
  std::optional<RecordingWriter> writer_;
};

TEST_F(RecordedEventsTest, EventsComeInTheOrderOfTheirBeginsWithTheirTuplesAsMessages) {
  state({}, 1);
  events({operation(Verb::write, 1, 20, 30, 7), operation(Verb::write, 2, 40, 41, 8)}, 50);
  events({operation(Verb::take, 1, 10, 35, 7), operation(Verb::take, 2, 36, 60, 8)}, 70);
  end(80);
  TellingSink sink;
  const auto totals = read(sink);
  EXPECT_THAT(sink.lines, ElementsAre("n1/readers/r0 take get 10-35", "n1/writers/w0 write put 20-30",
                                      "n1/readers/r0 take get 36-60", "n1/writers/w0 write put 40-41"));
  ASSERT_THAT(sink.messages, SizeIs(4));
  const auto number = [&](std::size_t i) { return sink.messages[i].substr(0, sink.messages[i].find(' ')); };
  EXPECT_EQ(number(0), number(1));
  EXPECT_EQ(number(2), number(3));
  EXPECT_EQ(totals->slices, 4u);
  EXPECT_EQ(totals->moved, 0u);
  EXPECT_EQ(sink.realtime_ns, 5'000'000'000);
  EXPECT_THAT(sink.arguments,
              AllOf(Contains("verb"), Contains("bytes"), Contains("path"), Not(Contains("thread"))));
  EXPECT_TRUE(sink.has_ended);
}

// The longest event is at the end of the file, and begins first.
TEST_F(RecordedEventsTest, TheOrderDoesNotDependOnTheMemory) {
  for (std::uint64_t i = 1; i <= 500; ++i) {
    const double begin_ms = 10 * static_cast<double>(i);
    events({operation(Verb::write, i, begin_ms, begin_ms + 1, i)}, begin_ms + 5);
  }
  events({operation(Verb::take, 1, 1, 6000, 1)}, 6001);
  end(6002);
  TellingSink plenty, little;
  read(plenty);
  read(little, {.limits = {.bytes = 1000}});
  EXPECT_EQ(plenty.lines.front(), "n1/readers/r0 take get 1-6000");
  EXPECT_THAT(plenty.lines, SizeIs(501));
  EXPECT_EQ(plenty.lines, little.lines);
}

TEST_F(RecordedEventsTest, MissingNumbersAreLossesWhereTheyWere) {
  events({operation(Verb::write, 4, 20, 30)}, 40);
  events({operation(Verb::write, 5, 50, 60), operation(Verb::write, 9, 90, 91)}, 95);
  View lossy = view({operation(Verb::write, 10, 96, 97)}, 98);
  lossy.loss.discarded = 3;
  events(std::move(lossy), 98);
  end(99);
  TellingSink sink;
  const auto totals = read(sink);
  EXPECT_THAT(sink.lines, ElementsAre("n1/writers/w0 lost 3 20-20", "n1/writers/w0 write put 20-30",
                                      "n1/writers/w0 write put 50-60", "n1/writers/w0 lost 3 60-90",
                                      "n1/writers/w0 write put 90-91", "n1/writers/w0 write put 96-97"));
  EXPECT_EQ(totals->lost_records, 6u);
  EXPECT_EQ(totals->loss.discarded, 3u);
  EXPECT_EQ(sink.counters["discarded"], 3u);
}

TEST_F(RecordedEventsTest, ARestartedProcessHasLostNothing) {
  events({operation(Verb::write, 1, 20, 30), operation(Verb::write, 2, 40, 50)}, 60);
  View again = view({operation(Verb::write, 1, 70, 80)}, 90, {});
  again.processes = {report(writers, 90, 555)};
  events(std::move(again), 90);
  end(99);
  TellingSink sink;
  EXPECT_EQ(read(sink)->lost_records, 0u);
  EXPECT_THAT(sink.lines, SizeIs(3));
}

TEST_F(RecordedEventsTest, EventsInFlightAtTheEndHaveNoEnd) {
  state({operation(Verb::write, 1, 20, 0)}, 25);  // ended later
  events({operation(Verb::write, 1, 20, 30)}, 40);
  state(
      {operation(Verb::write, 1, 20, 30), operation(Verb::write, 2, 45, 0), operation(Verb::take, 1, 22, 0)},
      50);
  end(51);
  TellingSink sink;
  read(sink);
  EXPECT_THAT(sink.lines,
              ElementsAre("n1/writers/w0 write put 20-30", "n1/readers/r0 take get 22-50 in flight",
                          "n1/writers/w0 write put 45-50 in flight"));
}

TEST_F(RecordedEventsTest, EventsThatEndedAfterTheLastStateAreNotInFlight) {
  state({operation(Verb::write, 1, 20, 0), operation(Verb::take, 1, 22, 0)}, 25);
  events({operation(Verb::write, 1, 20, 30)}, 40);  // and the recorder is killed
  TellingSink sink;
  read(sink);
  EXPECT_THAT(sink.lines,
              ElementsAre("n1/writers/w0 write put 20-30", "n1/readers/r0 take get 22-40 in flight"));
}

TEST_F(RecordedEventsTest, OverlappingEventsOfAThreadAreOnLanes) {
  events({operation(Verb::write, 1, 10, 30), operation(Verb::write, 2, 20, 40),
          operation(Verb::write, 3, 50, 60)},
         70);
  end(80);
  TellingSink sink;
  const auto totals = read(sink);
  EXPECT_EQ(totals->tracks, 2u);
  EXPECT_EQ(totals->threads, 1u);
  EXPECT_THAT(sink.lines, ElementsAre("n1/writers/w0 write put 10-30", "n1/writers/w0#1 write put 20-40",
                                      "n1/writers/w0 write put 50-60"));
}

TEST_F(RecordedEventsTest, ProbesOfAProcessWithoutAPlanHaveTheNamesThatItGave) {
  constexpr std::uint32_t process = 5;
  const std::uint32_t own = *local_ids_of(process);
  View made = view({}, 50, {});
  made.processes = {report(process, 50)};
  made.names = {{OwnNameOf::process, process, "tool"},
                {OwnNameOf::node, process, "n9"},
                {OwnNameOf::thread, own, "it's \"main\""},
                {OwnNameOf::path, own, "probes"},
                {OwnNameOf::probe, 77, "iteration"}};
  const auto probe = [&](ProbeVerb verb, std::uint64_t sequence, double begin_ms, double end_ms) {
    TraceTuple record;
    record.words = {sequence,
                    ns(begin_ms),
                    record_words::thread_path(own, own),
                    record_words::kind(probe_kind, 0),
                    ns(end_ms),
                    0,
                    0,
                    0};
    record.words[3] |= static_cast<std::uint64_t>(verb) << 12 | std::uint64_t{77} << 32;
    return record;
  };
  made.records = Records({probe(ProbeVerb::point, 1, 20, 20), probe(ProbeVerb::region, 2, 10, 30)});
  names_->learn(made.names);
  events(std::move(made), 50);
  end(60);
  TellingSink sink;
  read(sink);
  EXPECT_THAT(sink.lines, ElementsAre("n9/tool/it's \"main\" iteration 10-30",
                                      "n9/tool/it's \"main\" iteration 20-20 point"));
}

// A recorder has read while a call of MPI was in progress, so its parts are in two chunks.
TEST_F(RecordedEventsTest, AnEventWhosePartsAreInTwoChunksIsOne) {
  TraceTuple part = operation(Verb::take, 1, 20, 20);
  part.words[3] |= 1u << 8;  // RecordHeader::part
  events({part}, 25);
  events({operation(Verb::take, 2, 20, 30)}, 40);
  end(50);
  TellingSink sink;
  EXPECT_EQ(read(sink)->lost_records, 0u);
  EXPECT_THAT(sink.lines, ElementsAre("n1/readers/r0 take get 20-30"));
}

TEST_F(RecordedEventsTest, ProcessorTimesOfThreadsAreCounters) {
  View made = view({}, 20);
  made.processes[0].threads.push_back({.thread = 0, .tid = 9, .state = 'R', .cpu_ns = 4000});
  writer_->add_state(made, 20'000'000);
  end(30);
  TellingSink sink;
  read(sink);
  EXPECT_EQ(sink.counters["cpu"], 4000u);
}

TEST_F(RecordedEventsTest, EventsOfUnknownProcessesAreCounted) {
  events(view({operation(Verb::write, 1, 10, 20), operation(Verb::take, 1, 10, 20)}, 30, {writers}), 30);
  end(40);
  TellingSink sink;
  EXPECT_EQ(read(sink)->refused, 1u);
  EXPECT_THAT(sink.lines, SizeIs(1));
}

TEST_F(RecordedEventsTest, ADamagedPartIsLeftOutAndCounted) {
  events({operation(Verb::write, 1, 10, 20)}, 30);
  events({operation(Verb::write, 2, 40, 50)}, 60);
  end(70);
  {
    std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::size_t mark = bytes.find("\xe5\x43\x48\x4b", bytes.find("\xe5\x43\x48\x4b") + 1);
    const std::size_t at = mark + 80 + 10;  // in the body of the first chunk of events
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    for (std::size_t i = 0; i < 90; ++i) file.put(static_cast<char>(~bytes[at + i]));  // beyond repair
  }
  TellingSink sink;
  const auto totals = read(sink);
  EXPECT_EQ(totals->damaged_chunks, 1u);
  EXPECT_THAT(sink.lines, Contains("n1/writers/w0 write put 40-50"));
  EXPECT_THAT(sink.lines, Not(Contains("n1/writers/w0 write put 10-20")));
}

TEST_F(RecordedEventsTest, StoppingLeavesTheSinkWithoutAnEnd) {
  for (std::uint64_t i = 1; i <= 5; ++i)
    events({operation(Verb::write, i, 10 * static_cast<double>(i), 10 * static_cast<double>(i) + 1)},
           10 * static_cast<double>(i) + 5);
  end(70);
  for (int calls = 0; calls < 8; ++calls) {
    TellingSink sink;
    int called = 0;
    EXPECT_EQ(read(sink, {.progress = [&](double) { return called++ < calls; }}), std::nullopt);
    EXPECT_FALSE(sink.has_ended);
  }
}

TEST_F(RecordedEventsTest, AnEmptyRecordingHasNothing) {
  end(10);
  TellingSink sink;
  EXPECT_EQ(read(sink)->slices, 0u);
  EXPECT_TRUE(sink.has_ended);
}

}  // namespace
}  // namespace eventspace::exports
