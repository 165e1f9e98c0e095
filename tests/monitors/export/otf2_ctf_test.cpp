// Read back with otf2-print and babeltrace2.
#include <gmock/gmock.h>

#include "monitors/export/sinks/ctf_sink.h"
#include "tests/lines.h"
#include "tests/monitors/export/export_story.h"
#ifdef EVENTSPACE_OTF2_PRINT
#include "monitors/export/sinks/otf2_sink.h"
#endif

namespace eventspace::exports {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Two ranks: a message, a collective operation, slices that end together, a loss, a call in flight.
void tell_job(ExportStory& story) {
  const TrackId a = story.track("a"), b = story.track(odd_name, 2);
  MpiCallRecord send = test::JobView::message("MPI_Send", MpiClass::send, 1, 7, 64);
  MpiCallRecord receive = test::JobView::message("MPI_Recv", MpiClass::receive, 0, 7, 64);
  story.slice(b, 100, 400, "MPI_Recv",
              {.messages = {{5, true, true}},
               .mpi_messages = {{true, 0, test::JobView::world, 7, 64}},
               .call = receive});
  story.slice(a, 200, 300, "MPI_Send",
              {.messages = {{5, false, true}},
               .mpi_messages = {{false, 1, test::JobView::world, 7, 64}},
               .call = send,
               .arguments = {{"bytes", std::uint64_t{64}}, {"partner", std::uint64_t{1}}}});
  story.slice(a, 500, 900, odd_name, {.arguments = {{"path", std::string_view(odd_name)}}});
  story.slice(a, 600, 900, "inner");
  story.slice(a, 900, 900, "no length");
  for (const TrackId track : {a, b}) {
    story.slice(track, 1000, 1100, "MPI_Allreduce", {.call = test::JobView::collective("MPI_Allreduce", 1)});
  }
  story.lost(a, 1200, 1300, 40);
  story.slice(a, 1300, 2000, "stuck", {.in_flight = true});
  story.end();
}

#ifdef EVENTSPACE_OTF2_PRINT
class Otf2SinkTest : public SinkTest {
 protected:
  void SetUp() override {
    const auto sink = otf2_sink(place());
    ExportStory story(*sink);
    tell_job(story);
  }
  [[nodiscard]] std::string print(const std::string& options = "") const {
    return test::command_output(std::string(EVENTSPACE_OTF2_PRINT) + " " + options + " " +
                                (place() / "traces.otf2").string() + " 2>&1");
  }
  /// The first words of the events of a thread.
  [[nodiscard]] std::vector<std::string> events_of(int location) const {
    std::vector<std::string> words;
    for (const std::string& line : test::lines_of(print("-L " + std::to_string(location)))) {
      if (line.starts_with("ENTER") || line.starts_with("LEAVE") || line.starts_with("MPI"))
        words.push_back(line.substr(0, line.find(' ')));
    }
    return words;
  }
};

TEST_F(Otf2SinkTest, SlicesMessagesAndCollectivesHaveTheirRecordsInOrder) {
  EXPECT_THAT(events_of(2), ElementsAre("ENTER", "MPI_RECV", "LEAVE", "ENTER", "MPI_COLLECTIVE_BEGIN",
                                        "MPI_COLLECTIVE_END", "LEAVE"));
  EXPECT_THAT(events_of(1),
              ElementsAre("ENTER", "MPI_SEND", "LEAVE", "ENTER", "ENTER", "LEAVE", "LEAVE", "ENTER", "LEAVE",
                          "ENTER", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END", "LEAVE", "ENTER", "LEAVE"));
  EXPECT_THAT(print(), AllOf(HasSubstr("Receiver: 1"), HasSubstr("Tag: 7"), HasSubstr("Length: 64"),
                             HasSubstr("Operation: ALLREDUCE"), HasSubstr(odd_name_shown),
                             Not(HasSubstr("warning")), Not(HasSubstr("error: "))));
}

TEST_F(Otf2SinkTest, DefinitionsNameRanksRegionsAndTheCommunicator) {
  const std::string definitions = print("-G");
  EXPECT_THAT(definitions, AllOf(HasSubstr("world (3)"), HasSubstr("COMM_LOCATIONS"), HasSubstr("\"rank 2\""),
                                 HasSubstr(odd_name_shown), Not(HasSubstr("warning"))));
}

TEST_F(Otf2SinkTest, WhereEventsWereLostMeasurementIsOff) {
  EXPECT_THAT(print(), AllOf(HasSubstr("MEASUREMENT_ON_OFF"), HasSubstr("(\"lost_records\"")));
}

TEST_F(Otf2SinkTest, AnEmptyRecordingIsAnArchive) {
  const auto sink = otf2_sink(place("empty"));
  ExportStory story(*sink);
  story.end();
  EXPECT_THAT(test::command_output(std::string(EVENTSPACE_OTF2_PRINT) + " " +
                                   (place("empty") / "traces.otf2").string() + " 2>&1"),
              Not(HasSubstr("error: ")));
}
#endif

#ifdef EVENTSPACE_BABELTRACE
class CtfSinkTest : public SinkTest {
 protected:
  void SetUp() override {
    const auto sink = ctf_sink(place());
    ExportStory story(*sink);
    tell_job(story);
  }
  [[nodiscard]] std::string print(const std::filesystem::path& trace) const {
    return test::command_output(std::string(EVENTSPACE_BABELTRACE) + " " + trace.string() + " 2>&1");
  }
};

TEST_F(CtfSinkTest, BeginsAndEndsHaveTheirFieldsInOrder) {
  std::vector<std::string> events;
  for (const std::string& line : test::lines_of(print(place()))) {
    if (line.starts_with("[")) events.push_back(line);
  }
  ASSERT_THAT(events, SizeIs(7 * 2 + 2));
  EXPECT_THAT(events[1],
              AllOf(HasSubstr("mpi:begin"), HasSubstr("name = \"MPI_Send\""), HasSubstr("thread = \"a\""),
                    HasSubstr("bytes = [ [0] = 64 ]"), HasSubstr("vpid = 100")));
  EXPECT_THAT(events[2], AllOf(HasSubstr("mpi:end"), HasSubstr("name = \"MPI_Send\"")));
  EXPECT_THAT(events[14], HasSubstr("lost: "));
  EXPECT_THAT(events[14], HasSubstr("records = 40"));
  EXPECT_THAT(events[15], HasSubstr("name = \"stuck\""));
}

TEST_F(CtfSinkTest, NamesOfAnyCharactersAreReadBack) {
  std::string printed;  // the reader prints a backslash before quotes and backslashes
  for (const char c : odd_name_shown) {
    if (c == '"' || c == '\'' || c == '\\') printed += '\\';
    printed += c;
  }
  const auto has = [&](const std::string& field) { return HasSubstr(field + " = \"" + printed + "\""); };
  EXPECT_THAT(print(place()), AllOf(has("name"), has("thread"), has("path")));
}

TEST_F(CtfSinkTest, ReadersWarnOfLosses) {
  EXPECT_THAT(print(place()), HasSubstr("Tracer discarded 40 events"));
}

TEST_F(CtfSinkTest, AnEmptyRecordingIsATrace) {
  const auto sink = ctf_sink(place("empty"));
  ExportStory story(*sink);
  story.end();
  EXPECT_EQ(print(place("empty")), "");
}
#endif

}  // namespace
}  // namespace eventspace::exports
