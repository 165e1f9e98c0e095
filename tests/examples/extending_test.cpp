#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "collectors/kinds/event_kinds.h"
#include "examples/extending/busiest_monitor.h"
#include "examples/extending/count_wrapper.h"
#include "examples/extending/sample_wrapper.h"
#include "examples/extending/star_generator.h"
#include "examples/extending/transfer_kind.h"
#include "pathmaps/pathmap.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "tests/docs/page.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/trace/trace_ring.h"
#include "tests/tuplespace/variable.h"

// Uses the examples of docs/extending.md as that page describes.
namespace {

using namespace eventspace;

class Extending : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    WrapperRegistry::instance().add(example::count_wrapper());
    ScopeWrapperRegistry::instance().add(example::sample_wrapper());
    GeneratorRegistry::instance().add(example::star_generator());
  }

  void SetUp() override {
    LoadResult loaded = load_plan(EVENTSPACE_EXTENDED_PATHMAP);
    for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
    ASSERT_TRUE(loaded.plan.has_value());
    plan_ = std::make_shared<const Plan>(std::move(*loaded.plan));
  }

  test::TemporaryDirectory directory_;
  test::Variable shared_memory_{"EVENTSPACE_SHM_DIR", directory_.path().string()};
  std::shared_ptr<const Plan> plan_;
};

TEST_F(Extending, AWrapperActsOnThePathThatNamesIt) {
  Session session = Session::join(plan_, "p", {});
  Path& box = session.thread("a").path("box");
  const std::uint64_t before = example::counted;
  ASSERT_EQ(box.write(Tuple::of({std::int64_t{1}})), Status::ok);
  ASSERT_TRUE(box.read());
  EXPECT_EQ(example::counted, before + 1);
}

TEST_F(Extending, AGeneratorMakesElementsAndPaths) {
  Session session = Session::join(plan_, "p", {});
  std::jthread b([&] {
    EXPECT_EQ(session.thread("b").path("to-centre").write(Tuple::of({std::int64_t{7}})), Status::ok);
  });
  const Received received = session.thread("centre").path("from/b").take();
  ASSERT_TRUE(received);
  EXPECT_EQ(received.tuple.get<std::int64_t>(0), 7);
}

TEST_F(Extending, AMonitorPullsThroughAScopeWithAWrapperOfItsOwn) {
  Session session = Session::join(plan_, "p", {});
  Path& box = session.thread("a").path("box");
  for (std::int64_t i = 0; i < 10; ++i) ASSERT_EQ(box.write(Tuple::of({i})), Status::ok);
  Monitor monitor = Monitor::of_pathmap(EVENTSPACE_EXTENDED_PATHMAP);
  Scope scope = monitor.open("sampled");
  const Events events = scope.pull();
  EXPECT_EQ(events.size(), 5u);
  EXPECT_EQ(events.loss().filtered, 5u);
  Scope sampled = monitor.open("sampled");
  EXPECT_EQ(example::busiest_thread(sampled), "a");
}

// --- an event kind, recorded into a ring in memory -------------------------------------------------------

TEST(ExtendingKinds, ARecorderOfItsOwnKindWritesEventsThatTheVocabularyCanRead) {
  EventKinds& kinds = EventKinds::instance();
  if (kinds.find(example::transfer_kind) == nullptr) example::add_transfer_kind();
  test::RingMemory ring(8);
  const CollectSwitch everything;
  const RecordedThread thread{&everything};
  example::TransferRecorder recorder(ring.writer(), {.thread = 7, .path = 30}, thread, Clock::instance());
  ASSERT_TRUE(recorder.begin(example::TransferClass::from_device, 3));
  recorder.end(4096);
  const TraceTuple record = ring.reader().newest().value();
  const auto bits = [&](std::string_view field) {
    return kinds.place(example::transfer_kind, *kinds.field_named(field))->bits_of(record);
  };
  EXPECT_EQ(kinds.name_of(header_of(record).kind), "transfer");
  EXPECT_EQ(header_of(record).thread, 7u);
  EXPECT_EQ(header_of(record).path, 30u);
  EXPECT_EQ(bits("verb"), 2u);
  EXPECT_EQ(bits("device"), 3u);
  EXPECT_EQ(bits("bytes"), 4096u);
  EXPECT_FALSE(header_of(record).in_flight());
}

// --- the differences that the page shows -----------------------------------------------------------------

/// The text that the hunks of a difference to `file` expect there, without the signs of the first column: the
/// lines that stay and those that go.
std::vector<std::string> expected_in(const std::string& file, const std::string& difference) {
  std::vector<std::string> hunks;
  bool is_inside = false;
  for (const std::string& line : docs::lines_of(difference)) {
    if (line.starts_with("--- ")) is_inside = line == "--- a/" + file;
    if (!is_inside || line.starts_with("--- ") || line.starts_with("+++ ")) continue;
    if (line.starts_with("@@")) {
      hunks.emplace_back();
    } else if (!line.starts_with('+')) {
      hunks.back() += line.substr(1) + "\n";
    }
  }
  return hunks;
}

std::vector<std::string> files_changed_by(const std::string& difference) {
  const std::string head = "--- a/";
  std::vector<std::string> files;
  for (const std::string& line : docs::lines_of(difference)) {
    if (line.starts_with(head)) files.push_back(line.substr(head.size()));
  }
  return files;
}

const std::filesystem::path source = EVENTSPACE_SOURCE;

TEST(ExtendingPage, ItsDifferencesAreThoseOfTheExamples) {
  std::size_t differences = 0;
  for (const docs::Block& block : docs::blocks_of(source / "docs" / "extending.md")) {
    if (block.language != "diff") continue;
    ++differences;
    EXPECT_TRUE(docs::content_of(source / block.note).starts_with(block.text)) << "line " << block.line;
  }
  EXPECT_EQ(differences, 4u);
}

// howto_test applies and builds them, which takes longer.
TEST(ExtendingPage, ItsDifferencesFitTheFilesThatTheyAreFor) {
  for (const char* const name : {"exporter", "mpi_function", "event_kind", "metric"}) {
    const std::string difference =
        docs::content_of(source / "examples/extending" / (std::string(name) + ".diff"));
    const auto files = files_changed_by(difference);
    EXPECT_FALSE(files.empty()) << name;
    for (const std::string& file : files) {
      const std::string text = "\n" + docs::content_of(source / file);
      for (const std::string& expected : expected_in(file, difference))
        EXPECT_NE(text.find("\n" + expected), std::string::npos) << name << ": not in " << file << ":\n"
                                                                 << expected;
    }
  }
}

}  // namespace
