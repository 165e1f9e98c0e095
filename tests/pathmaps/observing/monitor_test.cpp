#include <eventspace/monitor.h>

#include <gmock/gmock.h>

#include <fstream>
#include <future>
#include <set>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/probe.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/node_server.h"
#include "tests/pathmaps/observing/observed_pair.h"
#include "tests/pathmaps/observing/record_once.h"

// Monitors of sessions in this process, and of recordings of them.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using Type = EventColumn::Type;

class MonitorTest : public test::ObservedPair {
 protected:
  Monitor monitor_{Monitor::of_pathmap(pathmap_)};
};

std::vector<std::string> told(const Events& events) {
  std::vector<std::string> all;
  for (const Event& event : events)
    all.push_back(std::string(event.thread()) + " " + std::string(event.verb()) + " " +
                  std::string(event.path()) + " " + std::to_string(event.number("sequence").value_or(0)));
  return all;
}

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(MonitorTest, APullYieldsTheEventsSinceTheLastOne) {
  Scope scope = monitor_.open("events");
  write("a", 2);
  EXPECT_THAT(told(scope.pull()), ElementsAre("a write log 1.000000", "a write log 2.000000"));
  EXPECT_THAT(scope.pull(), IsEmpty());
  write("b", 1);
  const Events events = scope.pull(Deadline::after(5s));
  EXPECT_THAT(told(events), ElementsAre("b write log 1.000000"));
  EXPECT_THAT(events.missing(), IsEmpty());
  EXPECT_EQ(events.loss(), Loss{});
  EXPECT_FALSE(events.has_more());
}

TEST_F(MonitorTest, AnEventHasItsNamesTimesAndFields) {
  const std::int64_t before = std::chrono::system_clock::now().time_since_epoch().count();
  session_->thread("a").set_virtual_time(7);
  write("a", 1);
  const std::int64_t after = std::chrono::system_clock::now().time_since_epoch().count();
  const Events events = monitor_.events();
  ASSERT_THAT(events, SizeIs(1));
  const Event event = events[0];
  EXPECT_EQ(event.process(), "p");
  EXPECT_EQ(event.node(), "here");
  EXPECT_EQ(event.kind(), "operation");
  EXPECT_EQ(event.status(), "ok");
  EXPECT_FALSE(event.in_flight());
  // The clock of a process is calibrated once: allow it a millisecond.
  EXPECT_GE(event.start_ns().value(), before - 1'000'000);
  EXPECT_LE(event.end_ns().value(), after + 1'000'000);
  EXPECT_NEAR(event.duration_ns().value(), static_cast<double>(*event.end_ns() - *event.start_ns()), 2);
  EXPECT_EQ(event.number("virtual_time"), 7);
  EXPECT_GT(event.number("bytes"), 0);
  EXPECT_EQ(event.text("probe"), "");
  EXPECT_EQ(event.number("tag"), std::nullopt);
  EXPECT_NEAR(static_cast<double>(events.column("start_here_ns").integers()[0] - *event.start_ns()), 0, 1e6);
}

TEST_F(MonitorTest, ColumnsHoldOneFieldOfAllEvents) {
  write("a", 2);
  write("b", 1);
  const Events events = monitor_.events();
  const EventColumn& threads = events.column("thread");
  ASSERT_EQ(threads.type(), Type::text);
  ASSERT_THAT(threads.names(), SizeIs(2));
  EXPECT_THAT(threads.codes(), ElementsAre(0, 0, 1));
  EXPECT_EQ(threads.names()[1].text, "b");
  EXPECT_NE(threads.names()[0].number, threads.names()[1].number);
  EXPECT_THAT(events.column("sequence").naturals(), ElementsAre(1, 2, 1));
  EXPECT_THAT(events.column("in_flight").booleans(), Each(0));
  EXPECT_THAT(events.column("duration").reals(), Each(testing::Gt(0)));
  EXPECT_THAT(events.column("start_ns").integers(), SizeIs(3));

  const EventColumn& tag = events.column("tag");  // of MPI only
  EXPECT_THAT(tag.present(), ElementsAre(0, 0, 0));
  EXPECT_THAT(tag.naturals(), ElementsAre(0, 0, 0));
  EXPECT_THAT(events.column("call").codes(), Each(EventColumn::no_name));
  EXPECT_THAT(events.fields(), Contains("bytes"));
  EXPECT_THAT(events.fields(), testing::Not(Contains("tag")));
}

TEST_F(MonitorTest, WrongNamesAreRefusedWithNearOnes) {
  write("a", 1);
  const Events events = monitor_.events();
  EXPECT_THAT(refusal([&] { (void)events.column("byte"); }), HasSubstr("did you mean 'bytes'?"));
  EXPECT_THAT(refusal([&] { (void)events.column("start"); }), HasSubstr("unknown field 'start'"));
  EXPECT_THAT(refusal([&] { (void)events.column("bytes").reals(); }), HasSubstr("does not hold reals"));
  EXPECT_THAT(refusal([&] { (void)monitor_.open("event"); }), HasSubstr("it has events, newest"));
  EXPECT_THAT(refusal([&] { (void)monitor_.open("means"); }), HasSubstr("yields events"));
  EXPECT_THAT(refusal([&] { (void)monitor_.events({.where = "bytes >"}); }), testing::StartsWith("where: "));
  EXPECT_THAT(refusal([&] { (void)monitor_.events({.threads = "c"}); }),
              testing::StartsWith("threads 'c' matches no thread"));
  EXPECT_THAT(refusal([&] { (void)monitor_.open("events").pull_at(0); }), HasSubstr("needs a recording"));
  EXPECT_THAT(monitor_.scopes(), UnorderedElementsAre("events", "newest"));
}

TEST_F(MonitorTest, AQuerySelectsWhereTheEventsAre) {
  write("a", 3);
  write("b", 3);
  ASSERT_EQ(session_->thread("b").path("box").write(Tuple::of({std::int64_t{1}})), Status::ok);
  const Events events = monitor_.events({.where = "sequence > 1", .threads = "b", .paths = "l*"});
  EXPECT_THAT(told(events), ElementsAre("b write log 2.000000", "b write log 3.000000"));
  EXPECT_EQ(events.loss().filtered, 1u) << "the other events were not read";
  EXPECT_THAT(told(monitor_.events({.last = 2})),
              ElementsAre("b write log 3.000000", "b write box 1.000000"));
}

TEST_F(MonitorTest, LossesAreCountedByCause) {
  Scope scope = monitor_.open("events");
  write("a", 10);  // eight are kept
  EXPECT_EQ(scope.pull().loss().earlier, 2u);
  write("a", 11);
  const Events events = scope.pull();
  EXPECT_THAT(events, SizeIs(8));
  EXPECT_EQ(events.loss().discarded, 3u);
  EXPECT_EQ(events.loss().earlier, 0u);
}

TEST_F(MonitorTest, AnOperationInFlightHasNoEnd) {
  auto taken = std::async(std::launch::async, [this] { return session_->thread("b").path("box").take(); });
  Scope newest = monitor_.open("newest");
  Events found;
  while (found.empty()) found = newest.pull();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_TRUE(found[0].in_flight());
  EXPECT_EQ(found[0].verb(), "take");
  EXPECT_EQ(found[0].end_ns(), std::nullopt);
  EXPECT_EQ(found.column("end_ns").integers()[0], EventColumn::no_integer);
  EXPECT_EQ(found[0].duration_ns(), std::nullopt);
  EXPECT_EQ(found[0].status(), "under way");
  EXPECT_EQ(monitor_.events({.in_flight = true}).size(), 1u);
  EXPECT_EQ(monitor_.events({.where = "in_flight and age > 0ns"}).size(), 1u);
  EXPECT_THAT(monitor_.events(), IsEmpty());
  Scope all = monitor_.open(EventQuery{.in_flight = true});
  EXPECT_EQ(all.pull().size(), 1u);
  EXPECT_EQ(all.pull().size(), 0u) << "once";
  ASSERT_EQ(session_->thread("a").path("box").write(Tuple::of({std::int64_t{1}})), Status::ok);
  EXPECT_TRUE(taken.get());
  EXPECT_THAT(told(all.pull()), UnorderedElementsAre("a write box 1.000000", "b take box 1.000000"));
}

TEST_F(MonitorTest, EventsOutliveAllElseAndMayBeSharedByThreads) {
  write("a", 3);
  std::optional<Monitor> monitor(Monitor::of_pathmap(pathmap_));
  std::optional<Scope> scope(monitor->open("events"));
  monitor.reset();
  const Events first = scope->pull();
  write("b", 1);
  const Events second = scope->pull();
  scope.reset();
  session_.reset();
  std::set<const EventColumn*> columns;
  {
    std::vector<std::future<const EventColumn*>> made;
    for (int i = 0; i < 4; ++i)
      made.push_back(std::async(std::launch::async, [copy = first] { return &copy.column("thread"); }));
    for (auto& column : made) columns.insert(column.get());
  }
  EXPECT_THAT(columns, SizeIs(1));
  EXPECT_THAT(told(first), SizeIs(3));
  EXPECT_THAT(told(second), ElementsAre("b write log 1.000000"));
  EXPECT_THAT(Events(), IsEmpty());
  EXPECT_EQ(Events().column("bytes").size(), 0u);
  for (const std::string& field : first.fields())
    EXPECT_EQ(Events().column(field).type(), first.column(field).type()) << field;
}

TEST_F(MonitorTest, ARecordingYieldsTheSameEvents) {
  write("a", 3);
  write("b", 2);
  const Events live = monitor_.events();
  test::record_once(directory_.path() / "run.evs", pathmap_);
  session_.reset();
  Monitor recorded = Monitor::of_recording(directory_.path() / "run.evs");
  EXPECT_TRUE(recorded.is_recorded());
  EXPECT_EQ(recorded.session(), "observed");
  const Events replayed = recorded.events();
  EXPECT_EQ(told(replayed), told(live));
  for (const std::string& field : live.fields()) {
    if (field == "age" || field == "start_here_ns" || field == "error_ns") continue;  // of the pull
    for (std::size_t i = 0; i < live.size(); ++i) {
      EXPECT_EQ(replayed[i].number(field), live[i].number(field)) << field;
      EXPECT_EQ(replayed[i].text(field), live[i].text(field)) << field;
    }
  }
  EXPECT_THAT(told(recorded.events({.threads = "b", .last = 1})), ElementsAre("b write log 2.000000"));
}

TEST_F(MonitorTest, TheLastEventsOfARecordingAreNotThoseInFlight) {
  auto taken = std::async(std::launch::async, [this] { return session_->thread("b").path("box").take(); });
  while (monitor_.events({.in_flight = true}).empty()) std::this_thread::yield();
  write("a", 3);
  test::record_once(directory_.path() / "run.evs", pathmap_);
  Monitor recorded = Monitor::of_recording(directory_.path() / "run.evs");
  const EventQuery query{.last = 1, .in_flight = true};
  EXPECT_THAT(told(recorded.events(query)),
              ElementsAre("a write log 3.000000", testing::StartsWith("b take box")));
  EXPECT_THAT(monitor_.events(query), SizeIs(2));
  ASSERT_EQ(session_->thread("a").path("box").write(Tuple::of({std::int64_t{1}})), Status::ok);
  EXPECT_TRUE(taken.get());
}

TEST_F(MonitorTest, AChangedPathmapIsRefused) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.path());
  Monitor monitor = Monitor::of_pathmap(pathmap_.filename());
  std::filesystem::current_path(before);
  write("a", 1);
  EXPECT_THAT(monitor.events(), SizeIs(1)) << "in another directory";
  std::ifstream in(pathmap_);
  std::string text(std::istreambuf_iterator<char>(in), {});
  text.replace(text.find("threads: [a, b]"), 15, "threads: [b, a]");
  std::ofstream(pathmap_) << text;
  EXPECT_THAT(refusal([&] { (void)monitor.events(); }), HasSubstr("observed.yaml has changed since"));
  std::ofstream(pathmap_) << text << "more: [\n";
  EXPECT_THAT(refusal([&] { (void)monitor.events(); }), testing::ContainsRegex("observed.yaml:[0-9]+:"));
}

TEST_F(MonitorTest, AScopeOfARecordingAdvances) {
  write("a", 2);
  test::record_once(directory_.path() / "run.evs", pathmap_);
  Monitor recorded = Monitor::of_recording(directory_.path() / "run.evs");
  const Events all = recorded.events();
  const std::int64_t between = *all[0].end_ns() + (*all[1].end_ns() - *all[0].end_ns()) / 2;
  Scope scope = recorded.open("events");
  EXPECT_THAT(told(scope.pull_at(between)), ElementsAre("a write log 1.000000"));
  EXPECT_THAT(told(scope.pull()), ElementsAre("a write log 2.000000"));
  EXPECT_THAT(scope.pull(), IsEmpty());
  EXPECT_THAT(told(recorded.open("newest").pull()), ElementsAre("a write log 2.000000"));
}

// A session that keeps more events than one pull takes.
class LongMonitorTest : public test::ObservedPair {
 protected:
  LongMonitorTest() : ObservedPair(4096) {}
  Monitor monitor_{Monitor::of_pathmap(pathmap_)};
};

TEST_F(LongMonitorTest, APullSaysThatItLeftEventsBehind) {
  Scope scope = monitor_.open("events");
  Scope filtered = monitor_.open(EventQuery{.where = "sequence > 2000"});
  write("a", 2500);
  std::size_t events = 0;
  for (bool has_more = true; has_more;) {
    const Events some = scope.pull();
    events += some.size();
    has_more = some.has_more();
  }
  EXPECT_EQ(events, 2500u);
  const Events none = filtered.pull();
  EXPECT_THAT(none, IsEmpty());
  EXPECT_TRUE(none.has_more()) << "the filter dropped a thousand";
  EXPECT_TRUE(filtered.pull().has_more());
  EXPECT_THAT(filtered.pull(), SizeIs(500));
  EXPECT_THAT(monitor_.events(), SizeIs(2500));
}

TEST(SilentMonitorTest, ASourceThatIsMissingInBothReadingsIsNamedOnce) {
  const test::SegmentDirectory directory;
  const std::filesystem::path pathmap = directory.path() / "silent.yaml";
  // Nothing answers at the discard port.
  std::ofstream(pathmap) << R"(pathmap: 1
name: silent
cluster: {nodes: {here: {host: 127.0.0.1, port: 9}}}
application:
  threads: [a]
  elements: [{name: box, tuple: [int]}]
  paths: [{thread: a, name: box, element: box, use: write}]
placement: {processes: {p: {node: here, threads: "*"}}}
collect: {threshold: 8, points: [{at: thread}]}
)";
  Monitor monitor = Monitor::of_pathmap(pathmap);
  const Events events = monitor.open(EventQuery{.in_flight = true}).pull(Deadline::after(40ms));
  ASSERT_THAT(events.missing(), SizeIs(1));
  EXPECT_EQ(events.missing()[0].cause, MissingCause::no_answer) << events.missing()[0].detail;
}

TEST(SilentMonitorTest, EventsInFlightTakeAtMostHalfOfTheTime) {
  const test::SegmentDirectory directory;
  const std::filesystem::path pathmap = directory.path() / "half.yaml";
  std::ofstream(pathmap) << R"(pathmap: 1
name: half
security: none
cluster: {nodes: {here: {}, silent: {host: 127.0.0.1, port: 9}}}
application:
  threads: [a, b]
  elements: [{name: "{thread}/log", for: "*", tuple: [int]}]
  paths: [{thread: "*", name: log, element: "{thread}/log", use: write}]
placement: {processes: {p: {node: here, threads: a}, q: {node: silent, threads: b}}}
collect: {threshold: 8, points: [{at: thread}]}
)";
  NodeServer server(std::make_shared<const Plan>(require_plan(pathmap)), NodeIndex(0), {});
  server.start();
  Session session = Session::join(pathmap, "p");
  ASSERT_EQ(session.thread("a").path("log").write(Tuple::of({std::int64_t{1}})), Status::ok);
  Monitor monitor = Monitor::of_pathmap(pathmap);
  const Events events = monitor.open(EventQuery{.in_flight = true}).pull(Deadline::after(200ms));
  EXPECT_THAT(told(events), ElementsAre("a write log 1.000000")) << "the silent node took all of the time";
  EXPECT_THAT(events.missing(), SizeIs(1));
}

class NamedMonitorTest : public testing::Test {
 protected:
  test::SegmentDirectory directory_;
};

TEST_F(NamedMonitorTest, ASessionWithoutAPathmapIsFoundByItsName) {
  EXPECT_THAT(refusal([] { (void)Monitor::of_session("solver"); }), HasSubstr("no process of a session"));
  EXPECT_THAT(refusal([] { (void)Monitor::of_session("a/b"); }), HasSubstr("a/b"));
  Session session = Session::open("solver", {.process = "solver:1", .node = "n1", .collect = {}});
  session.thread("main");
  EVENTSPACE_PROBE("step", 1, -2, 0.5);
  EVENTSPACE_PROBE("step", 2, 3, 4);
  Monitor monitor = Monitor::of_session("solver");
  EXPECT_THAT(monitor.warnings(), IsEmpty());
  EXPECT_THAT(monitor.scopes(), UnorderedElementsAre("heartbeat", "events"));
  const Events events = monitor.events({.where = "probe == 'step'"});
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].thread(), "solver:1/main");
  EXPECT_EQ(events[0].node(), "n1");
  EXPECT_EQ(events[0].kind(), "probe");
  EXPECT_EQ(events[0].verb(), "point");
  EXPECT_EQ(events[0].text("probe"), "step");
  EXPECT_THAT(events.column("value1").reals(), ElementsAre(1, 2)) << "of one type, whatever the values are";
  EXPECT_THAT(events.column("value2").reals(), ElementsAre(-2, 3));
  EXPECT_THAT(events.column("value3").reals(), ElementsAre(0.5, 4));
  EXPECT_EQ(events.column("value4").has(0), false);
}

}  // namespace
}  // namespace eventspace
