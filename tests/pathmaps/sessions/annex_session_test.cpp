#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <optional>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "collectors/event_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/sessions/node_server.h"
#include "tests/error_text.h"
#include "tests/pathmaps/valid_plan.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/segment_directory.h"
#include "tuplespace/system/session_files.h"

// Trace elements in annexes: of thread a of process p0, with a separate lifetime and in a separate directory,
// which is in memory.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::number;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// A new directory in memory, removed with the object.
class MemoryDirectory {
 public:
  MemoryDirectory() {
    std::string name = "/dev/shm/eventspace-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~MemoryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MemoryDirectory(const MemoryDirectory&) = delete;
  MemoryDirectory& operator=(const MemoryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class AnnexSession : public testing::Test {
 protected:
  static std::shared_ptr<const Plan> plan_with(const std::filesystem::path& directory) {
    const std::string text =
        "pathmap: 1\nname: annexes\ncluster: {nodes: {n1: {host: 127.0.0.1, port: " +
        std::to_string(test::free_port()) +
        "}}}\n"
        "application:\n  threads: [a]\n  elements: [{name: box, tuple: [int], when_full: discard}]\n"
        "  paths: [{thread: a, name: out, element: box}]\n"
        "placement: {processes: {p0: {node: n1, threads: a}}}\n"
        "collect:\n  annexes: {long: {keep: 48h}, away: {directory: " +
        directory.string() +
        "}}\n"
        "  points: [{at: thread, in: away}, {at: element, in: long, add: true}]\n"
        "scopes: {s: {at: both, read: next, timeout: 60s, shape: by-node}}\n";
    return test::shared_plan(parse_plan(text, "annex_session_test.yaml"));
  }
  static std::vector<std::string_view> points_of(const View& view) {
    std::vector<std::string_view> points;
    for (const TraceTuple& tuple : view.records)
      points.push_back(to_string(static_cast<CollectPoint>(decode(tuple).point)));
    return points;
  }

  test::SegmentDirectory segments;
  MemoryDirectory memory;
};

TEST_F(AnnexSession, TraceElementsInAnnexesAreRecordedReadAndEmptied) {
  const auto plan = plan_with(memory.path());
  NodeServer server(plan, NodeIndex(0), NodeServer::Options{});
  server.start();
  Session session = Session::join(plan, "p0", Session::Options{});
  Path& path = session.thread("a").path("out");
  ASSERT_EQ(path.write(number(1), Deadline::after(60s)), Status::ok);
  Consumer consumer(plan);
  EventScope scope = consumer.open("s");
  const View view = scope.pull({.deadline = Deadline::after(60s)});
  EXPECT_THAT(points_of(view), UnorderedElementsAre("thread", "element"));
  EXPECT_THAT(view.missing, IsEmpty());
  EXPECT_EQ(session.events_recorded(), 2u);
  ASSERT_EQ(path.write(number(2), Deadline::after(60s)), Status::ok);
  session.empty_traces();
  EXPECT_EQ(scope.pull({.deadline = Deadline::after(60s)}).loss, (Loss{.emptied = 2}));
}

TEST_F(AnnexSession, EachAnnexIsAFileInItsDirectoryAsLongAsTheSession) {
  {
    const Session session = Session::join(plan_with(memory.path()), "p0", Session::Options{});
    const auto away = find_annexes("annexes", "n1", memory.path());
    ASSERT_EQ(away.size(), 1u);
    EXPECT_THAT(away[0].string(), HasSubstr(".away.annex"));
    EXPECT_EQ(SegmentView(away[0]).keep(), std::nullopt);
    const auto kept = find_annexes("annexes", "n1", segments.path());
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(SegmentView(kept[0]).keep(), 48h);
  }
  EXPECT_THAT(find_annexes("annexes", "n1", memory.path()), IsEmpty());
  EXPECT_THAT(find_annexes("annexes", "n1", segments.path()), IsEmpty());
}

TEST_F(AnnexSession, WhereOthersMayMakeFilesAnAnnexIsInADirectoryOfTheUser) {
  ::chmod(memory.path().c_str(), 01777);
  const auto plan = plan_with(memory.path());
  NodeServer server(plan, NodeIndex(0), NodeServer::Options{});
  server.start();
  Session session = Session::join(plan, "p0", Session::Options{});
  EXPECT_THAT(find_annexes("annexes", "n1", memory.path()), IsEmpty());
  EXPECT_THAT(find_annexes("annexes", "n1", memory.path() / own_directory_name()), SizeIs(1));
  ASSERT_EQ(session.thread("a").path("out").write(number(1), Deadline::after(60s)), Status::ok);
  Consumer consumer(plan);
  EventScope scope = consumer.open("s");
  EXPECT_THAT(points_of(scope.pull({.deadline = Deadline::after(60s)})),
              UnorderedElementsAre("thread", "element"));
}

TEST_F(AnnexSession, ADirectoryThatIsNotInMemoryIsRefusedAndNothingIsLeft) {
  const auto plan = plan_with("/proc/self");
  EXPECT_THAT(test::error_text<EnvironmentError>(
                  [&] { const Session session = Session::join(plan, "p0", Session::Options{}); }),
              AllOf(HasSubstr("annex 'away'"), HasSubstr("/proc/self"), HasSubstr("recording would wait")));
  EXPECT_THAT(segments.files(), IsEmpty());
}

TEST_F(AnnexSession, ADirectoryThatDoesNotExistIsNamed) {
  const auto plan = plan_with(memory.path() / "absent");
  EXPECT_THAT(test::error_text<EnvironmentError>(
                  [&] { const Session session = Session::join(plan, "p0", Session::Options{}); }),
              AllOf(HasSubstr("absent"), HasSubstr("No such file or directory")));
}

}  // namespace
}  // namespace eventspace
