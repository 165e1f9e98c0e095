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
#include "examples/extending/lines_sink.h"
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
  Consumer consumer(plan_);
  EventScope scope = consumer.open("sampled");
  const View view = scope.pull({});
  EXPECT_EQ(view.records.size(), 5u);
  EXPECT_EQ(view.loss.filtered, 5u);
  EXPECT_EQ(example::busiest_thread(consumer, "sampled"), "a");
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

// --- an export format ------------------------------------------------------------------------------------

TEST(ExtendingExports, ASinkWritesALineForEachEventAndWhatWasLost) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "run.txt";
  const auto sink = example::lines_sink(file);
  exports::Track track;
  track.id = 1;
  track.thread = "t17";
  sink->add(track);
  exports::Slice slice;
  slice.track = 1;
  slice.begin_ns = 100;
  slice.end_ns = 130;
  slice.name = "take border";
  sink->add(slice);
  sink->add(exports::LostEvents{1, 130, 200, 5});
  exports::Totals totals;
  totals.slices = 1;
  totals.lost_records = 5;
  sink->end(totals);
  EXPECT_EQ(docs::content_of(file),
            "100 30 t17 take border\n# before 200, t17 lost 5 records\n# 1 events, 5 records lost\n");
  EXPECT_THROW((void)example::lines_sink(directory.path() / "no" / "run.txt"), EnvironmentError);
}

// --- the differences that the page shows -----------------------------------------------------------------

/// Returns the text that each hunk expects in its file, without the signs of the first column: the lines that
/// stay and those that go.
std::vector<std::string> expected_by(const docs::Block& diff) {
  std::vector<std::string> hunks;
  for (const std::string& line : docs::lines_of(diff.text)) {
    if (line.starts_with("---") || line.starts_with("+++")) continue;
    if (line.starts_with("@@")) {
      hunks.emplace_back();
    } else if (!line.starts_with('+')) {
      hunks.back() += line.substr(1) + "\n";
    }
  }
  return hunks;
}

std::string file_of(const docs::Block& diff) {
  const std::string head = "--- a/";
  const std::string first = docs::lines_of(diff.text).front();
  return first.starts_with(head) ? first.substr(head.size()) : "";
}

TEST(ExtendingPage, ItsDifferencesFitTheFilesThatTheyAreFor) {
  const std::filesystem::path source = EVENTSPACE_SOURCE;
  std::size_t differences = 0;
  for (const docs::Block& block : docs::blocks_of(source / "docs" / "extending.md")) {
    if (block.language != "diff") continue;
    ++differences;
    const std::string text = "\n" + docs::content_of(source / file_of(block));
    for (const std::string& expected : expected_by(block)) {
      const std::size_t found = text.find("\n" + expected);
      EXPECT_NE(found, std::string::npos) << "line " << block.line << ": not in " << file_of(block) << ":\n"
                                          << expected;
      if (found != std::string::npos) {
        EXPECT_EQ(text.find("\n" + expected, found + 1), std::string::npos) << "twice:\n" << expected;
      }
    }
  }
  EXPECT_EQ(differences, 4u);
}

}  // namespace
