// `eventspace export` as a process, for a session that has run.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "collectors/event_record.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/plan/session_plan.h"
#include "scopes/recordings/recording_writer.h"
#include "tests/lines.h"
#include "tests/monitors/sessions/market.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_commands::Call;
using testing_commands::read_text;

class ExportCommands : public testing_commands::Market {
 protected:
  /// A complete recording of some thousand events.
  std::filesystem::path record() {
    const auto pathmap = market();
    Call application = start_market(pathmap);
    Call recorder = start({"record", pathmap, "-o", file("run.evs"), "--for", "500ms"});
    EXPECT_EQ(recorder.status(), 0) << recorder.err();
    application.signal(SIGTERM);
    application.status();
    call({"down", pathmap});
    return file("run.evs");
  }
  /// A recording whose export takes seconds.
  [[nodiscard]] std::filesystem::path record_much() const {
    constexpr std::uint32_t process = 5, own = first_local_id + process * local_ids_per_process;
    const NamesOfPlan names(plan_of_session("much"));
    RecordingWriter writer(
        {.file = file("much.evs"), .session = {"much", "", "n1", "0.1", 0, 0}, .names = &names});
    for (std::uint64_t sequence = 1; sequence < 1'000'000;) {
      View view;
      view.processes.emplace_back().process = process;
      for (int i = 0; i < 50'000; ++i, ++sequence) {
        EventRecord record;
        record.sequence = sequence;
        record.start = 1000 * sequence;
        record.end = record.start + 500;
        record.thread = record.path = own;
        record.verb = Verb::write;
        record.status = Status::ok;
        view.records.push_back(encode(record));
      }
      writer.add_events(std::move(view), static_cast<std::int64_t>(1000 * sequence));
    }
    writer.end({.reason = "end"});
    return file("much.evs");
  }
  /// Incomplete outputs.
  [[nodiscard]] std::vector<std::string> partial_files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(file("")))
      if (entry.path().filename().string().find(".partial-") != std::string::npos)
        names.push_back(entry.path().filename());
    return names;
  }
  /// The lines of a CSV without its columns `start_here_ns` and `error_ns`, sorted as text.
  static std::vector<std::string> rows(const std::string& csv) {
    std::vector<std::string> lines = test::lines_of(csv);
    const std::vector<std::string> names = cells(lines.at(0));
    std::vector<std::string> rows;
    for (const std::string& line : lines) {
      std::string row;
      const auto values = cells(line);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (names.at(i) != "start_here_ns" && names.at(i) != "error_ns") row += values[i] + ',';
      rows.push_back(row);
    }
    std::ranges::sort(rows);
    return rows;
  }
  static std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> found{""};
    for (const char c : line) {
      if (c == ',') found.emplace_back();
      if (c != ',') found.back() += c;
    }
    return found;
  }
};

TEST_F(ExportCommands, EachFormatIsWrittenAndCsvHasTheEventsThatTheMonitorShows) {
  const auto recording = record();
  for (const std::string format : {"perfetto", "chrome", "ctf", "csv"}) {
    Call exported = call({"export", recording, "--to", format});
    EXPECT_EQ(exported.status(), 0) << exported.err();
    EXPECT_THAT(exported.err(), AllOf(HasSubstr("of 4 threads in"), Not(HasSubstr("%"))));
    EXPECT_EQ(exported.out(), "");
  }
  for (const std::string name : {"run.pftrace", "run.json", "run.ctf/metadata", "run.csv"})
    EXPECT_TRUE(std::filesystem::exists(file(name))) << name;
  std::string whole;
  for (const std::string& line : test::lines_of(read_text(file("run.csv"))))
    if (cells(line).at(1) != "") whole += line + '\n';  // without events in flight
  Call events = call({"events", recording, "--apart", "--format", "csv"});
  ASSERT_EQ(events.status(), 0) << events.err();
  EXPECT_EQ(rows(whole), rows(events.out()));
  EXPECT_GT(rows(whole).size(), 100u);
}

TEST_F(ExportCommands, AnExistingExportIsReplacedOnlyOnRequestAndPipesAreFed) {
  const auto recording = record();
  ASSERT_EQ(call({"export", recording, "--to", "csv", "-o", file("out.csv"), "--quiet"}).status(), 0);
  const std::string first = read_text(file("out.csv"));
  Call again = call({"export", recording, "--to", "csv", "-o", file("out.csv")});
  EXPECT_EQ(again.status(), 3);
  EXPECT_THAT(again.err(), AllOf(HasSubstr("already exists"), HasSubstr("--force")));
  EXPECT_EQ(call({"export", recording, "--to", "csv", "-o", file("out.csv"), "--force"}).status(), 0);
  EXPECT_EQ(read_text(file("out.csv")), first);
  Call piped = call({"export", recording, "--to", "csv", "-o", "-", "--quiet"});
  EXPECT_EQ(piped.status(), 0) << piped.err();
  EXPECT_EQ(piped.out(), first);
  Call self = call({"export", recording, "--to", "csv", "-o", recording, "--force"});
  EXPECT_EQ(self.status(), 2);
  EXPECT_THAT(self.err(), HasSubstr("is the recording itself"));
  EXPECT_THAT(partial_files(), IsEmpty());
}

TEST_F(ExportCommands, WrongFormatsAndFilesAreReported) {
  Call unknown = call({"export", "run.evs", "--to", "perfeto"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_THAT(unknown.err(), AllOf(HasSubstr("perfeto"), HasSubstr("perfetto"), HasSubstr("sqlite")));
  Call missing = call({"export", file("none.evs"), "--to", "csv"});
  EXPECT_EQ(missing.status(), 3);
  EXPECT_THAT(missing.err(), HasSubstr("none.evs"));
  const auto text = write("text.evs", "no recording");
  EXPECT_EQ(call({"export", text, "--to", "csv"}).status(), 3);
  EXPECT_FALSE(std::filesystem::exists(file("text.csv")));
  EXPECT_THAT(partial_files(), IsEmpty());
}

TEST_F(ExportCommands, AnInterruptedExportLeavesNothing) {
  const auto recording = record_much();
  std::vector<std::string> formats{"csv", "ctf"};
#ifdef EVENTSPACE_HAS_OTF2
  formats.emplace_back("otf2");
#endif
  for (const std::string& format : formats) {
    Call exported = start({"export", recording, "--to", format, "-o", file("half." + format)});
    ASSERT_TRUE(testing_commands::eventually([&] { return !partial_files().empty(); })) << exported.err();
    exported.signal(SIGTERM);
    EXPECT_EQ(exported.status(), 3);
    EXPECT_THAT(exported.err(), HasSubstr("stopped by a signal"));
    EXPECT_FALSE(std::filesystem::exists(file("half." + format)));
    EXPECT_THAT(partial_files(), IsEmpty());
  }
}

TEST_F(ExportCommands, AKilledExportLeavesNoFileWithItsName) {
  const auto recording = record_much();
  Call exported = start({"export", recording, "--to", "chrome", "-o", file("half.json")});
  ASSERT_TRUE(testing_commands::eventually([&] { return !partial_files().empty(); })) << exported.err();
  exported.signal(SIGKILL);
  exported.status();
  EXPECT_FALSE(std::filesystem::exists(file("half.json")));
}

}  // namespace
}  // namespace eventspace
