#include <eventspace.h>
#include <gmock/gmock.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/session.h>
#include "pathmaps/c_api/calls.h"
#include "pathmaps/sessions/session_server.h"
#include "tests/pathmaps/c_api/uses.h"
#include "tests/pathmaps/observing/record_once.h"
#include "tests/tuplespace/segment_directory.h"
#include "tests/tuplespace/variable.h"

// The interface for C. Most tests are functions in C, which compile as C11 without a warning.
// The session that a preloaded library, which this program stands for, has joined.
static const char* preloaded_session = nullptr;
extern "C" __attribute__((visibility("default"))) const char* eventspace_preloaded_session_v1() {
  return preloaded_session;
}

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::StrEq;

constexpr const char* pathmap_text = R"(pathmap: 1
name: c_api
cluster: {nodes: {here: {}}}
application:
  threads: [a, b]
  elements:
    - {name: queue, tuple: [int, text], threshold: 2}
    - {name: progress, tuple: [int], threshold: 3, when_full: discard}
  paths:
    - {thread: "*", name: queue, element: queue}
    - {thread: "*", name: progress, element: progress}
  collectives:
    total: {kind: all-reduce, threads: "*", tuple: int, combine: sum}
placement: {processes: {p: {node: here, threads: "*"}}}
collect: {points: [{at: thread}]}
scopes:
  events: {read: next, direct: true, levels: [{group: all, wrapper: gather}]}
)";

class CApiTest : public testing::Test {
 protected:
  CApiTest() { std::ofstream(pathmap_) << pathmap_text; }

  [[nodiscard]] std::string in_directory(const char* name) const { return directory_.path() / name; }

  /// A session in which thread a has written 1 to 3.
  [[nodiscard]] Session session_with_writes() const {
    Session session = Session::join(pathmap_);
    Path& progress = session.thread("a").path("progress");
    for (const std::int64_t number : {1, 2, 3}) EXPECT_EQ(progress.write(Tuple::of({number})), Status::ok);
    return session;
  }

  test::SegmentDirectory directory_;
  std::string pathmap_{in_directory("c_api.yaml")};
};

std::string failure(const char* text) { return text != nullptr ? text : ""; }

/// Whether `uses` returns true in a forked child.
template <class Uses>
bool holds_in_a_child(Uses uses) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(uses() ? 0 : 1);
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST(CApi, SaysItsVersion) {
  EXPECT_EQ(es_abi_version(), ES_ABI_VERSION);
  EXPECT_THAT(es_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(es_status_name(ES_TIMED_OUT), StrEq(std::string(to_string(Status::timed_out))));
  EXPECT_THAT(es_status_name(static_cast<es_status>(99)), StrEq("?"));
}

TEST(CApi, TuplesByFormat) { EXPECT_EQ(failure(use_tuples()), ""); }
TEST(CApi, TuplesByBuilder) { EXPECT_EQ(failure(use_builders()), ""); }
TEST(CApi, WrongTuplesAreErrors) { EXPECT_EQ(failure(use_wrong_tuples()), ""); }
TEST(CApi, PackedTuples) { EXPECT_EQ(failure(use_packed_tuples()), ""); }
TEST(CApi, NullIsMisuseAndFreesIgnoreIt) { EXPECT_EQ(failure(use_nulls()), ""); }

TEST_F(CApiTest, Operations) { EXPECT_EQ(failure(use_operations(pathmap_.c_str())), ""); }
TEST_F(CApiTest, TemplatesSelect) { EXPECT_EQ(failure(use_templates(pathmap_.c_str())), ""); }
TEST_F(CApiTest, TuplesOfOtherTypesAreRefused) {
  EXPECT_EQ(failure(use_element_of_other_types(pathmap_.c_str())), "");
}
TEST_F(CApiTest, AClosedSessionEndsItsOperations) {
  EXPECT_EQ(failure(use_closed_session(pathmap_.c_str())), "");
}
TEST_F(CApiTest, SessionsThatAreNotThereAreErrors) {
  EXPECT_EQ(failure(use_sessions_that_are_not_there(pathmap_.c_str())), "");
}
TEST_F(CApiTest, ProbesAndRegions) { EXPECT_EQ(failure(use_probes("solver")), ""); }

TEST_F(CApiTest, ElementsOfASessionWithoutAPathmap) {
  const test::Variable sockets("XDG_RUNTIME_DIR", directory_.path());
  SessionServer server("solver");
  server.start();
  EXPECT_EQ(failure(use_elements_without_pathmap("solver")), "");
}

// A process of a pathmap has its own name and trace elements beside those of the library.
TEST_F(CApiTest, ASessionThatAPreloadedLibraryHasJoinedIsOpenedOnlyAsAProcessOfAPathmap) {
  preloaded_session = "solver";
  es_session* session = nullptr;
  EXPECT_EQ(es_session_open("solver", nullptr, 0, &session), ES_CONFIGURATION);
  EXPECT_THAT(es_error_text(), HasSubstr("has joined session solver in this process"));
  EXPECT_EQ(es_session_open("other", nullptr, 0, &session), ES_OK) << es_error_text();
  es_session_free(session);
  EXPECT_EQ(es_session_join(pathmap_.c_str(), nullptr, "solver", 0, &session), ES_OK) << es_error_text();
  es_session_free(session);
  preloaded_session = nullptr;
}

TEST_F(CApiTest, AScopeYieldsColumns) {
  const Session session = session_with_writes();
  EXPECT_EQ(failure(use_scope(pathmap_.c_str())), "");
}
TEST_F(CApiTest, AQuerySelects) {
  const Session session = session_with_writes();
  EXPECT_EQ(failure(use_query(pathmap_.c_str())), "");
}

class CApiRecordingTest : public CApiTest {
 protected:
  CApiRecordingTest() {
    const Session session = session_with_writes();
    test::record_once(file_, pathmap_);
  }
  std::string file_{in_directory("run.evs")};
};

TEST_F(CApiRecordingTest, IsReadInPieces) { EXPECT_EQ(failure(use_recording(file_.c_str())), ""); }
TEST_F(CApiRecordingTest, IsReadLikeASession) {
  EXPECT_EQ(failure(use_recording_as_session(file_.c_str())), "");
}

TEST_F(CApiRecordingTest, HasMetrics) { EXPECT_EQ(failure(use_metric(file_.c_str())), ""); }

/// Every handle that reads a session or a recording.
class CApiForkTest : public CApiRecordingTest {
 protected:
  CApiForkTest() {
    const es_metric_query query = ES_METRIC("Imbalance");
    EXPECT_EQ(es_monitor_of_pathmap(pathmap_.c_str(), nullptr, &monitor_), ES_OK) << es_error_text();
    EXPECT_EQ(es_monitor_open(monitor_, "events", &scope_), ES_OK) << es_error_text();
    EXPECT_EQ(es_metric_open(monitor_, &query, &metric_), ES_OK) << es_error_text();
    EXPECT_EQ(es_monitor_events(monitor_, nullptr, ES_USUAL, &events_), ES_OK) << es_error_text();
    EXPECT_EQ(es_recording_open(file_.c_str(), &recording_), ES_OK) << es_error_text();
    EXPECT_EQ(es_recording_read(recording_, INT64_MIN, INT64_MAX, &reader_), ES_OK) << es_error_text();
  }
  ~CApiForkTest() override { free_all(); }

  void free_all() const {
    es_reader_free(reader_);
    es_recording_free(recording_);
    es_events_free(events_);
    es_metric_free(metric_);
    es_scope_free(scope_);
    es_monitor_free(monitor_);
  }
  static bool is_of_parent(es_status status) {
    return status == ES_MISUSE && std::strstr(es_error_text(), "of the process that forked") != nullptr;
  }
  /// Whether each call that would use the parent's connections, files or locks is refused.
  [[nodiscard]] bool refuses_all() const {
    es_scope* scope = nullptr;
    es_metric* metric = nullptr;
    es_events* events = nullptr;
    es_samples* samples = nullptr;
    es_reader* reader = nullptr;
    const es_metric_query query = ES_METRIC("Imbalance");
    return is_of_parent(es_monitor_open(monitor_, "events", &scope)) &&
           is_of_parent(es_monitor_events(monitor_, nullptr, ES_USUAL, &events)) &&
           is_of_parent(es_metric_open(monitor_, &query, &metric)) &&
           is_of_parent(es_scope_pull(scope_, ES_TRY, &events)) &&
           is_of_parent(es_metric_read(metric_, ES_TRY, &samples)) && es_metric_lost(metric_) == 0 &&
           is_of_parent(es_recording_read(recording_, 0, 1, &reader)) &&
           is_of_parent(es_reader_next(reader_, &events)) && es_recording_end_ns(recording_) == 0;
  }
  [[nodiscard]] bool has_texts_and_events() const {
    return std::strcmp(es_monitor_session(monitor_), "c_api") == 0 &&
           std::strcmp(es_monitor_scope_name(monitor_, 0), "events") == 0 &&
           std::strcmp(es_metric_name(metric_), "Imbalance") == 0 &&
           std::strcmp(es_recording_session(recording_), "c_api") == 0 && es_events_size(events_) == 3;
  }

  const Session session_{session_with_writes()};
  es_monitor* monitor_{nullptr};
  es_scope* scope_{nullptr};
  es_metric* metric_{nullptr};
  es_events* events_{nullptr};
  es_recording* recording_{nullptr};
  es_reader* reader_{nullptr};
};

TEST_F(CApiForkTest, AChildCanOnlyFreeMonitorsAndRecordings) {
  EXPECT_TRUE(holds_in_a_child([this] { return refuses_all(); }));
  EXPECT_TRUE(holds_in_a_child([this] { return has_texts_and_events(); }));
  EXPECT_TRUE(holds_in_a_child([this] {
    free_all();
    return true;
  }));
  es_events* more = nullptr;
  EXPECT_EQ(es_scope_pull(scope_, ES_USUAL, &more), ES_OK) << "the parent still has its scope";
  es_events_free(more);
  EXPECT_EQ(es_reader_next(reader_, &more), ES_OK) << "and its reader";
  es_events_free(more);
}

/// A structure that has grown: the programs of version 0 have the members up to `old`.
struct Grown {
  std::size_t size;
  std::uint64_t old;
  std::uint64_t later;
};
constexpr std::size_t size_of_version_0 = offsetof(Grown, later);

TEST(CApi, StructuresMayGrow) {
  const Grown of_old_program{size_of_version_0, 1, 77};  // it has no `later`: 77 is another variable
  const Grown taken = c_api::structure_of(&of_old_program, Grown{0, 0, 5}, size_of_version_0, "query");
  EXPECT_EQ(taken.old, 1U);
  EXPECT_EQ(taken.later, 5U);

  Grown stored = of_old_program;
  c_api::store_structure(Grown{sizeof(Grown), 2, 3}, &stored, size_of_version_0, "loss");
  EXPECT_EQ(stored.size, size_of_version_0);
  EXPECT_EQ(stored.old, 2U);
  EXPECT_EQ(stored.later, 77U);

  stored.size = sizeof(Grown) + 8;  // of a program with a newer header
  c_api::store_structure(Grown{sizeof(Grown), 2, 3}, &stored, size_of_version_0, "loss");
  EXPECT_EQ(stored.later, 3U);
}

TEST_F(CApiTest, EachThreadHasItsErrorText) {
  es_tuple* tuple = nullptr;
  EXPECT_EQ(es_tuple_make(&tuple, "q"), ES_CONFIGURATION);
  std::thread([] { EXPECT_THAT(es_error_text(), StrEq("")); }).join();
  EXPECT_THAT(es_error_text(), HasSubstr("'q'"));
  EXPECT_EQ(es_tuple_make(&tuple, ""), ES_OK);
  EXPECT_THAT(es_error_text(), HasSubstr("'q'")) << "a success leaves the text alone";
  es_tuple_free(tuple);
}

TEST_F(CApiTest, LongErrorTextsAreCutBetweenCharacters) {
  std::string umlauts;
  for (int i = 0; i < 2000; ++i) umlauts += "\u00e4";
  for (const std::string& name : {umlauts, "x" + umlauts}) {
    es_session* session = nullptr;
    EXPECT_EQ(es_session_join((name + ".yaml").c_str(), nullptr, nullptr, 0, &session), ES_CONFIGURATION);
    const std::string text = es_error_text();
    EXPECT_GE(text.size(), 2046U);
    EXPECT_THAT(text, testing::EndsWith("\u00e4"));
  }
}

// Destructors of C++ run before those of keys: the text of a thread must not need one.
pthread_key_t ending_key;              // NOLINT(misc-use-internal-linkage)
std::string text_of_an_ending_thread;  // NOLINT(misc-use-internal-linkage)

void fail_in_an_ending_thread(void* /*value*/) {
  std::vector<std::unique_ptr<std::string>> others;  // in memory that was freed just before
  for (std::size_t length = 40; length < 100; ++length)
    others.push_back(std::make_unique<std::string>(length, 'x'));
  es_tuple* tuple = nullptr;
  EXPECT_EQ(es_tuple_make(&tuple, "q"), ES_CONFIGURATION);
  text_of_an_ending_thread = es_error_text();
  for (const auto& other : others) EXPECT_EQ(other->find_first_not_of('x'), std::string::npos);
}

TEST(CApi, AFailureInAnEndingThreadHasItsText) {
  ASSERT_EQ(::pthread_key_create(&ending_key, fail_in_an_ending_thread), 0);
  std::thread([] {
    es_session* session = nullptr;
    EXPECT_EQ(es_session_open("a/b", nullptr, 0, &session), ES_CONFIGURATION);
    EXPECT_EQ(::pthread_setspecific(ending_key, &ending_key), 0);
  }).join();
  EXPECT_THAT(text_of_an_ending_thread, HasSubstr("'q'"));
  EXPECT_EQ(::pthread_key_delete(ending_key), 0);
}

/// A session with its threads a and b; `use` runs in each.
class CApiThreadsTest : public CApiTest {
 protected:
  CApiThreadsTest() { EXPECT_EQ(es_session_join(pathmap_.c_str(), nullptr, nullptr, 0, &session_), ES_OK); }
  ~CApiThreadsTest() override { es_session_free(session_); }

  es_path* path(const char* thread_name, const char* name) {
    es_thread* thread = nullptr;
    es_path* found = nullptr;
    EXPECT_EQ(es_session_thread(session_, thread_name, &thread), ES_OK) << es_error_text();
    EXPECT_EQ(es_thread_path(thread, name, &found), ES_OK) << es_error_text();
    return found;
  }

  es_session* session_{nullptr};
};

TEST_F(CApiThreadsTest, ExchangeTheSum) {
  const auto exchange = [this](const char* name, int number) {
    es_tuple* mine = nullptr;
    es_tuple* sum = nullptr;
    int total = 0;
    EXPECT_EQ(es_tuple_make(&mine, "i", number), ES_OK);
    EXPECT_EQ(es_path_exchange(path(name, "total"), mine, ES_FOREVER, &sum), ES_OK) << es_error_text();
    EXPECT_EQ(es_tuple_get(sum, "i", &total), ES_OK);
    EXPECT_EQ(total, 5);
    es_tuple_free(mine);
    es_tuple_free(sum);
  };
  std::thread other(exchange, "b", 3);
  exchange("a", 2);
  other.join();
}

TEST_F(CApiThreadsTest, AThreadBelongsToTheThreadThatObtainedIt) {
  es_thread* mine = nullptr;
  ASSERT_EQ(es_session_thread(session_, "a", &mine), ES_OK);
  std::thread([mine, this] {
    es_path* path = nullptr;
    es_thread* thread = nullptr;
    EXPECT_EQ(es_thread_path(mine, "queue", &path), ES_MISUSE);
    EXPECT_THAT(es_error_text(), HasSubstr("'a' of the session is another thread"));
    EXPECT_EQ(path, nullptr);
    EXPECT_EQ(es_thread_set_virtual_time(mine, 1), ES_MISUSE);
    EXPECT_EQ(es_session_thread(session_, "a", &thread), ES_CONFIGURATION);
  }).join();
}

// The ids of pthreads are used again when a thread has ended.
TEST_F(CApiThreadsTest, AThreadThatEndedHasNoSuccessor) {
  es_thread* ended = nullptr;
  std::thread([&] { ASSERT_EQ(es_session_thread(session_, "a", &ended), ES_OK); }).join();
  std::thread([&] { EXPECT_EQ(es_thread_set_virtual_time(ended, 1), ES_MISUSE); }).join();
}

TEST_F(CApiThreadsTest, AForkedChildCanOnlyFreeTheSession) {
  es_thread* thread = nullptr;
  es_path* const queue = path("a", "queue");
  es_tuple* tuple = nullptr;
  ASSERT_EQ(es_session_thread(session_, "a", &thread), ES_OK);
  ASSERT_EQ(es_tuple_make(&tuple, "it", 1, "wheel"), ES_OK);
  EXPECT_TRUE(holds_in_a_child([&] {
    const bool is_refused = es_path_write(queue, tuple, ES_TRY) == ES_MISUSE &&
                            std::strstr(es_error_text(), "was forked from the one that joined") != nullptr &&
                            es_thread_set_virtual_time(thread, 1) == ES_MISUSE &&
                            es_session_thread(session_, "a", &thread) == ES_MISUSE &&
                            es_session_close(session_) == ES_MISUSE;
    es_session_free(session_);
    return is_refused;
  }));
  EXPECT_EQ(es_path_write(queue, tuple, ES_TRY), ES_OK) << "the parent still has its session";
  es_tuple_free(tuple);
}

// The paths of a thread share its connections, which one call at a time may use.
TEST_F(CApiThreadsTest, OneCallAtATimeUsesTheThreadAndItsPathsAndCloseEndsIt) {
  es_path* const queue = path("a", "queue");
  es_path* const progress = path("a", "progress");
  es_thread* thread = nullptr;
  ASSERT_EQ(es_session_thread(session_, "a", &thread), ES_OK);
  es_tuple* never = nullptr;
  std::thread waiting([&] {
    es_status ended = ES_MISUSE;  // while a call below uses the path
    while (ended == ES_MISUSE) ended = es_path_take(queue, ES_OLDEST, nullptr, ES_FOREVER, &never);
    EXPECT_EQ(ended, ES_CLOSED);
  });
  es_tuple* tuple = nullptr;
  es_status status = ES_EMPTY;
  while (status == ES_EMPTY) status = es_path_take(queue, ES_OLDEST, nullptr, ES_TRY, &tuple);
  EXPECT_EQ(status, ES_MISUSE);
  EXPECT_THAT(es_error_text(), HasSubstr("the thread 'a' of the session is in use"));
  es_path* same = nullptr;
  EXPECT_EQ(es_path_discard(progress, 1), ES_MISUSE);
  EXPECT_EQ(es_thread_path(thread, "progress", &same), ES_MISUSE);
  EXPECT_EQ(es_thread_path_with(thread, "other", "i", 1, false, &same), ES_MISUSE);
  EXPECT_EQ(es_thread_set_virtual_time(thread, 1), ES_MISUSE);
  EXPECT_EQ(es_session_close(session_), ES_OK);
  waiting.join();
  EXPECT_EQ(never, nullptr);
}

}  // namespace
}  // namespace eventspace
