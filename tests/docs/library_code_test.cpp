#include <eventspace/eventspace.h>
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/docs/page.h"
#include "tests/pathmaps/observing/record_once.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

// The code of docs/library.md. Each of its blocks of C++ or CMake is in this file, or in the file named by
// the block's note, so that it compiles and behaves as documented.

namespace eventspace::docs {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* pathmap = R"(
pathmap: 1
name: pages
cluster: {nodes: {here: {}}}
application:
  threads: [a, b, c, d]
  elements:
    - {name: queue, tuple: [int, text], threshold: 2}
    - {name: progress, tuple: [int], threshold: 3, when_full: discard}
    - {name: numbers, tuple: [int]}
  paths:
    - {thread: "{a,b,c}", name: queue, element: queue}
    - {thread: d, name: queue, element: numbers}
    - {thread: "*", name: progress, element: progress}
  collectives:
    total: {kind: all-reduce, threads: [a, b], tuple: int, combine: sum}
    parts: {kind: gather, threads: [a, b], tuple: text}
placement: {processes: {p: {node: here, threads: "*"}}}
collect: {points: [{at: thread}]}
scopes:
  events: {read: next, direct: true, levels: [{group: all, wrapper: gather}]}
)";

class CodeOfTheLibraryPage : public testing::Test {
 protected:
  CodeOfTheLibraryPage() { std::ofstream(file_) << pathmap; }

  [[nodiscard]] Session join() const { return Session::join(file_); }

  test::TemporaryDirectory directory_;
  test::Variable shared_memory_{"EVENTSPACE_SHM_DIR", directory_.path().string()};
  fs::path file_{directory_.path() / "pages.yaml"};
};

std::vector<std::string> used;
void use(std::int64_t number, std::string_view text) {
  used.push_back(std::to_string(number) + " " + std::string(text));
}

TEST_F(CodeOfTheLibraryPage, ATupleHasValuesOfTheTypesOfItsElement) {
  const Tuple part = Tuple::of({std::int64_t{7}, std::string_view("wheel")});
  const auto number = part.get<std::int64_t>(0);    // 7
  const auto text = part.get<std::string_view>(1);  // "wheel", valid as long as a copy of the tuple exists
  EXPECT_EQ(number, 7);
  EXPECT_EQ(text, "wheel");
  EXPECT_THROW(static_cast<void>(part.get<double>(0)), ConfigurationError);
}

TEST_F(CodeOfTheLibraryPage, ADeadlineBoundsTheWait) {
  Session session = join();
  Path& path = session.thread("a").path("queue");
  const Tuple part = Tuple::of({std::int64_t{7}, std::string_view("wheel")});

  Status status = path.write(part);                                     // waits for room, without limit
  status = path.write(part, Deadline::after(std::chrono::seconds(2)));  // at most two seconds: else timed_out
  status = path.write(part, Deadline::now());                           // not at all: else full

  EXPECT_EQ(status, Status::full);
  EXPECT_EQ(path.write(part, Deadline::after(milliseconds(1))), Status::timed_out);
  EXPECT_TRUE(path.take());
  EXPECT_TRUE(path.take());
  EXPECT_EQ(path.take(From::oldest, Deadline::now()).status, Status::empty);
  EXPECT_EQ(path.take(From::oldest, Deadline::after(milliseconds(1))).status, Status::timed_out);
}

TEST_F(CodeOfTheLibraryPage, AResultIsATupleOrAReason) {
  Session session = join();
  Path& path = session.thread("a").path("queue");
  ASSERT_EQ(path.write(Tuple::of({std::int64_t{7}, std::string_view("wheel")})), Status::ok);

  const Received received = path.take(From::oldest, Deadline::after(std::chrono::seconds(2)));
  if (received) {
    use(received.tuple.get<std::int64_t>(0), received.tuple.get<std::string_view>(1));
  } else {
    std::cerr << "take: " << to_string(received.status) << ' ' << received.reason << '\n';
  }

  EXPECT_EQ(used.back(), "7 wheel");
  EXPECT_EQ(path.write(Tuple::of({std::string_view("not a number")})), Status::refused);
}

TEST_F(CodeOfTheLibraryPage, ATemplateSelects) {
  Session session = join();
  Path& path = session.thread("a").path("queue");
  ASSERT_EQ(path.write(Tuple::of({std::int64_t{1}, std::string_view("axle")})), Status::ok);
  ASSERT_EQ(path.write(Tuple::of({std::int64_t{2}, std::string_view("wheel")})), Status::ok);

  const Template wheels({FieldType::integer, std::string("wheel")});  // any number, and this text
  const Received wheel = path.take(From::oldest, Deadline::never(), &wheels);

  EXPECT_EQ(wheel.tuple.get<std::int64_t>(0), 2);
  EXPECT_EQ(path.read(From::newest).tuple.get<std::int64_t>(0), 1) << "the axle stays";
}

TEST_F(CodeOfTheLibraryPage, AReaderFollowsAnElementAndCountsWhatItMissed) {
  Session session = join();
  Path& path = session.thread("a").path("progress");
  for (std::int64_t step = 1; step <= 5; ++step) ASSERT_EQ(path.write(Tuple::of({step})), Status::ok);

  std::vector<std::uint64_t> found;
  std::uint64_t missed = 0;
  while (const Received step = path.next(Deadline::now())) {  // each tuple once, in order
    found.push_back(step.sequence);
    missed += step.missed;  // discarded before this reader came
  }

  EXPECT_EQ(found, (std::vector<std::uint64_t>{3, 4, 5}));
  EXPECT_EQ(missed, 2u);
  EXPECT_EQ(path.read_at(1).status, Status::gone);
  for (std::int64_t step = 6; step <= 10; ++step) ASSERT_EQ(path.write(Tuple::of({step})), Status::ok);
  EXPECT_EQ(path.next().missed, 2u);
}

TEST_F(CodeOfTheLibraryPage, AnExchangeGivesAllParticipantsTheResult) {
  Session session = join();
  std::vector<std::int64_t> totals(2);
  std::vector<Tuple> parts;  // of the root, the first participant
  {
    std::vector<std::jthread> threads;
    for (const std::size_t i : {0, 1}) {
      threads.emplace_back([&session, &totals, &parts, i] {
        SessionThread& me = session.thread(i == 0 ? "a" : "b");
        const auto mine = static_cast<std::int64_t>(20 + i);

        const Received total = me.path("total").exchange(Tuple::of({mine}));
        if (total) totals[i] = total.tuple.get<std::int64_t>(0);

        const Received all = me.path("parts").exchange(Tuple::of({std::string_view(me.name())}));
        if (i == 0) parts = unpack_tuples(all.tuple);
      });
    }
  }
  EXPECT_EQ(totals, (std::vector<std::int64_t>{41, 41}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at(1).get<std::string_view>(0), "b");
}

TEST_F(CodeOfTheLibraryPage, ClosingEndsWhatWaits) {
  Session session = join();
  Status status = Status::ok;
  {
    std::jthread waiting([&] { status = session.thread("a").path("queue").take().status; });
    std::jthread closing([&] { session.close(); });
  }
  EXPECT_EQ(status, Status::closed);
}

TEST_F(CodeOfTheLibraryPage, AMonitorPullsAndAsks) {
  Session session = join();
  ASSERT_EQ(session.thread("b").path("progress").write(Tuple::of({std::int64_t{1} << 40})), Status::ok);
  std::ostringstream out;
  const fs::path& file = file_;

  Monitor monitor = Monitor::of_pathmap(file);
  Scope scope = monitor.open("events");
  const Events events = scope.pull();
  for (const Event& event : events) out << event.thread() << ' ' << event.verb() << '\n';

  EXPECT_EQ(out.str(), "b write\n");
  EXPECT_TRUE(events.missing().empty());
  std::uint64_t sum = 0;

  const Events writes = monitor.events({.where = "verb == 'write' and bytes > 4", .threads = "b"});

  const EventColumn& bytes = writes.column("bytes");
  for (const std::uint64_t size : bytes.naturals()) sum += size;

  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(sum, bytes.number(0));
}

TEST_F(CodeOfTheLibraryPage, ARecordingIsReadInPiecesAndMeasured) {
  Session session = join();
  ASSERT_EQ(session.thread("b").path("progress").write(Tuple::of({std::int64_t{1}})), Status::ok);
  const fs::path recorded = directory_.path() / "run.evs";
  test::record_once(recorded, file_);
  std::size_t total = 0;
  double counted = 0;

  const Recording recording(recorded);
  for (Recording::Reader reader = recording.events(); const auto piece = reader.next();)
    total += piece->size();

  Monitor replayed = Monitor::of_recording(recorded);
  MetricReader writes_of_process(replayed, {.metric = "Writes", .text = R"(
    Writes(Process p, TimeInterval time) { RETURN Event_count(p, "verb == 'write'", time); })"});
  for (const MetricSample& sample : writes_of_process.read()) counted = sample.value.value_or(0);

  EXPECT_EQ(total, 1u);
  EXPECT_EQ(counted, 1);
}

TEST_F(CodeOfTheLibraryPage, APathIsWrittenAndTakenInOneLineEach) {  // docs/sessions.md
  Session session = join();
  SessionThread& me = session.thread("d");

  const Status status = me.path("queue").write(Tuple::of({std::int64_t{7}}));  // in one process
  const Received received = me.path("queue").take();                           // in another one

  EXPECT_EQ(status, Status::ok);
  EXPECT_EQ(received.tuple.get<std::int64_t>(0), 7);
}

/// The text with one space wherever it has spaces or ends of lines, so that indentation does not matter.
std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

/// Returns the number of blocks of the page in C++, C, Fortran and CMake. Fails for each block that is not in
/// the file named by its note or, without a note, in `code_file`.
int check_code_of(const std::string& page,
                  const std::string& code_file = "tests/docs/library_code_test.cpp") {
  const std::set<std::string> compiled{"cpp", "c", "fortran", "cmake"};
  int blocks = 0;
  for (const Block& block : blocks_of(fs::path(EVENTSPACE_SOURCE) / page)) {
    if (!compiled.contains(block.language)) continue;
    ++blocks;
    const std::string file = block.note.empty() ? code_file : block.note;
    const std::string code = in_one_line(content_of(fs::path(EVENTSPACE_SOURCE) / file));
    EXPECT_NE(code.find(in_one_line(block.text)), std::string::npos)
        << page << ":" << block.line << ": not in " << file << "\n"
        << block.text;
  }
  return blocks;
}

TEST(CodeOfThePages, IsInFilesThatAreCompiled) {
  EXPECT_EQ(check_code_of("README.md"), 1);
  EXPECT_GT(check_code_of("docs/library.md"), 5);
  EXPECT_EQ(check_code_of("docs/sessions.md"), 2);
  EXPECT_GT(check_code_of("docs/c.md"), 10);
  EXPECT_GT(check_code_of("docs/streams.md", "tests/docs/streams_page.cpp"), 10);
}

}  // namespace
}  // namespace eventspace::docs
