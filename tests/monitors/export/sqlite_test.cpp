#include <gmock/gmock.h>
#include <sqlite3.h>

#include "monitors/export/sinks/sqlite_sink.h"
#include "tests/docs/page.h"
#include "tests/monitors/export/export_story.h"

namespace eventspace::exports {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SqliteSinkTest : public SinkTest {
 protected:
  void SetUp() override { ASSERT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK); }
  void TearDown() override { sqlite3_close(database_); }

  /// The rows of an answer, with "|" between the values.
  std::vector<std::string> ask(const std::string& sql) {
    if (sink_) {
      sink_.reset();
      sqlite3_close(database_);
      EXPECT_EQ(sqlite3_open_v2(place().c_str(), &database_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    }
    std::vector<std::string> rows;
    char* error = nullptr;
    const auto add = [](void* to, int count, char** values, char**) {
      std::string row;
      for (int i = 0; i < count; ++i)
        row += (i == 0 ? "" : "|") + std::string(values[i] == nullptr ? "" : values[i]);
      static_cast<std::vector<std::string>*>(to)->push_back(row);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), add, &rows, &error), SQLITE_OK) << sql << '\n' << error;
    sqlite3_free(error);
    return rows;
  }
  /// A writer, a reader, a job with a collective operation, a loss, a thread that is stuck.
  void tell_all() {
    const TrackId writer = story_.track("w0"), reader = story_.track("r0", 2);
    story_.slice(reader, 10, 300, "take queue",
                 {.messages = {{7, true, true}}, .arguments = {{"bytes", std::uint64_t{8}}}});
    story_.slice(writer, 100, 200, "write queue",
                 {.messages = {{7, false, true}},
                  .arguments = {{"bytes", std::uint64_t{8}},
                                {"verb", std::string_view("write")},
                                {"from", std::string_view("oldest")}}});
    story_.slice(writer, 250, 260, "write queue", {.messages = {{8, false, true}}});
    for (const TrackId track : {writer, reader}) {
      story_.slice(track, 400 + 10 * track, 500, "MPI_Barrier",
                   {.call = test::JobView::collective("MPI_Barrier", 1),
                    .arguments = {{"call", std::string_view("MPI_Barrier")},
                                  {"ordinal", std::uint64_t{1}},
                                  {"communicator", std::string_view("world (2)")}}});
    }
    story_.lost(writer, 510, 600, 40);
    story_.counter(writer, 650, 9000);
    story_.slice(reader, 700, 1000, odd_name, {.in_flight = true});
    story_.end();
  }

  sqlite3* database_{nullptr};
  std::unique_ptr<Sink> sink_ = sqlite_sink(place());
  ExportStory story_{*sink_};
};

TEST_F(SqliteSinkTest, EventsHaveNamesTimesAndFields) {
  tell_all();
  EXPECT_THAT(ask("select node, process, rank, thread, name, duration_ns, bytes, verb, \"from\" from events "
                  "where id = 2"),
              ElementsAre("n1|app.0|0|w0|write queue|100|8|write|oldest"));
  EXPECT_THAT(ask("select name, in_flight from events where in_flight"), ElementsAre(odd_name_shown + "|1"));
  EXPECT_THAT(ask("select begin_ns from events where id = 1"), ElementsAre("1000000001000000010"));
}

TEST_F(SqliteSinkTest, NamesOfAnyCharactersAreReadBack) {
  const TrackId thread = story_.track(odd_name);
  story_.slice(thread, 10, 20, odd_name, {.arguments = {{"path", std::string_view(odd_name)}}});
  story_.end();
  EXPECT_THAT(ask("select thread, name, path from events"),
              ElementsAre(odd_name_shown + "|" + odd_name_shown + "|" + odd_name_shown));
}

TEST_F(SqliteSinkTest, ViewsMatchMessagesSumOperationsAndShowLosses) {
  tell_all();
  EXPECT_THAT(ask("select from_thread, to_thread, under_way_ns, late_ns, bytes, certain from messages"),
              ElementsAre("w0|r0|200|90|8|1"));
  EXPECT_THAT(ask("select message, thread from unmatched"), ElementsAre("8|w0"));
  EXPECT_THAT(ask("select times, total_ns from operations where name = 'write queue'"), ElementsAre("2|110"));
  EXPECT_THAT(ask("select name, members, spread_ns, rest_ns from collective_operations"),
              ElementsAre("MPI_Barrier|2|10|80"));
  EXPECT_THAT(ask("select thread, records, gaps from losses"), ElementsAre("w0|40|1"));
  EXPECT_THAT(ask("select thread, name, value from counter join track on track.id = counter.track"),
              ElementsAre("w0|cpu|9000"));
  EXPECT_THAT(ask("select value from recording where name = 'lost_records'"), ElementsAre("40"));
  EXPECT_THAT(ask("pragma integrity_check"), ElementsAre("ok"));
}

TEST_F(SqliteSinkTest, AnEmptyRecordingHasAllTables) {
  story_.end();
  EXPECT_THAT(ask("select * from messages"), IsEmpty());
  EXPECT_THAT(ask("select * from collective_operations"), IsEmpty());
}

TEST_F(SqliteSinkTest, EachQuestionOfTheDocumentationHasAnAnswer) {
  tell_all();
  int questions = 0;
  for (const docs::Block& block : docs::blocks_of(EVENTSPACE_SOURCE "/docs/recordings.md")) {
    if (block.language != "sql") continue;
    ++questions;
    EXPECT_THAT(ask(block.text), testing::Not(IsEmpty())) << "line " << block.line;
  }
  EXPECT_GE(questions, 5);
}

}  // namespace
}  // namespace eventspace::exports
