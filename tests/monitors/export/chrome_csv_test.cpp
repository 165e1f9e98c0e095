#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "monitors/export/sinks/chrome_sink.h"
#include "monitors/export/sinks/csv_sink.h"
#include "tests/lines.h"
#include "tests/monitors/export/export_story.h"

namespace eventspace::exports {
namespace {

using testing::SizeIs;

std::string text_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ChromeSinkTest : public SinkTest {
 protected:
  /// The events of these phases, in order.
  std::vector<nlohmann::json> events(const std::string& phases) {
    std::vector<nlohmann::json> found;
    const nlohmann::json all = nlohmann::json::parse(text_in(place()));
    for (const auto& event : all.at("traceEvents")) {
      if (phases.find(event.at("ph").get<std::string>()) != std::string::npos) found.push_back(event);
    }
    return found;
  }
  std::unique_ptr<Sink> sink_ = chrome_sink(place());
  ExportStory story_{*sink_};
};

TEST_F(ChromeSinkTest, AnEmptyRecordingIsAWholeFile) {
  story_.end();
  EXPECT_THAT(events("XiCsfM"), testing::IsEmpty());
}

TEST_F(ChromeSinkTest, SlicesOfEqualMicrosecondsStayApartAndOverlapsAreOnTracksOfTheirOwn) {
  const TrackId thread = story_.track("t0"), lane = story_.track("t0", 1, 1, thread);
  story_.slice(thread, 100'001, 100'002, "first");
  story_.slice(lane, 100'001, 100'900, "overlaps");
  story_.slice(thread, 100'003, 100'003, "no length");
  story_.end();
  const auto slices = events("X");
  ASSERT_THAT(slices, SizeIs(3));
  EXPECT_DOUBLE_EQ(slices[0]["ts"].get<double>(), 100.001);
  EXPECT_DOUBLE_EQ(slices[0]["dur"].get<double>(), 0.001);
  EXPECT_DOUBLE_EQ(slices[2]["ts"].get<double>(), 100.003);
  EXPECT_DOUBLE_EQ(slices[2]["dur"].get<double>(), 0);
  EXPECT_EQ(slices[0]["tid"], slices[2]["tid"]);
  EXPECT_NE(slices[0]["tid"], slices[1]["tid"]);
  EXPECT_EQ(events("M").back()["args"]["name"], "t0 (2)");
}

TEST_F(ChromeSinkTest, KeepsNamesArgumentsArrowsCountersAndLosses) {
  const TrackId thread = story_.track(odd_name);
  story_.slice(thread, 10, 20, odd_name,
               {.messages = {{77, false, true}},
                .arguments = {{"bytes", std::uint64_t{64}},
                              {"parameter", std::uint64_t{1} << 60},
                              {"value1", std::int64_t{-5}},
                              {"value2", 0.5},
                              {"path", std::string_view(odd_name)}}});
  story_.slice(thread, 30, 40, "take", {.messages = {{77, true, true}}, .in_flight = true});
  story_.slice(thread, 35, 35, "point", {.is_instant = true});
  story_.counter(thread, 50, 12345);
  story_.lost(thread, 40, 60, 9);
  story_.end();
  const auto slices = events("X");
  ASSERT_THAT(slices, SizeIs(2));
  const std::string in_json =
      odd_name.substr(0, odd_name.size() - 1) + "\xef\xbf\xbd";  // JSON must be valid UTF-8
  EXPECT_EQ(slices[0]["name"], in_json);
  const auto& arguments = slices[0]["args"];
  EXPECT_EQ(arguments["bytes"], 64);
  EXPECT_EQ(arguments["parameter"], "1152921504606846976") << "JavaScript would round the number";
  EXPECT_EQ(arguments["value1"], -5);
  EXPECT_EQ(arguments["value2"], 0.5);
  EXPECT_EQ(arguments["path"], in_json);
  EXPECT_EQ(slices[1]["args"]["in_flight"], true);
  const auto arrows = events("sf");
  ASSERT_THAT(arrows, SizeIs(2));
  EXPECT_EQ(arrows[0]["id"], arrows[1]["id"]);
  EXPECT_EQ(arrows[1]["bp"], "e");
  ASSERT_THAT(events("C"), SizeIs(1));
  EXPECT_EQ(events("C")[0]["args"]["ns"], 12345);
  ASSERT_THAT(events("i"), SizeIs(2));
  EXPECT_EQ(events("i")[1]["args"]["records"], 9);
}

class CsvSinkTest : public SinkTest {
 protected:
  /// The cells of a line, by RFC 4180.
  static std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> found{""};
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
        found.back() += line[i++];
      } else if (line[i] == '"') {
        quoted = !quoted;
      } else if (line[i] == ',' && !quoted) {
        found.emplace_back();
      } else {
        found.back() += line[i];
      }
    }
    return found;
  }
  std::unique_ptr<Sink> sink_ = csv_sink(place());
  ExportStory story_{*sink_};
};

TEST_F(CsvSinkTest, ALineIsAnEventAndNamesDoNotBreakIt) {
  story_.job.names.processes[1] = odd_name;
  const TrackId thread = story_.track("t0");
  story_.slice(thread, 10, 30, "write");
  story_.slice(thread, 20, 40, "write", {.in_flight = true});
  story_.end();
  const auto lines = test::lines_of(text_in(place()));
  ASSERT_THAT(lines, SizeIs(3));
  const auto names = cells(lines[0]);
  const auto cell = [&](std::size_t line, const std::string& name) {
    return cells(lines[line]).at(static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
  };
  EXPECT_EQ(cells(lines[1]).size(), names.size());
  EXPECT_EQ(cell(1, "duration_ns"), "20");
  EXPECT_EQ(cell(1, "process"), odd_name_shown);
  EXPECT_EQ(cell(1, "start_here_ns"), "1000000001000000010");
  EXPECT_EQ(cell(1, "error_ns"), "25");
  EXPECT_EQ(cell(2, "duration_ns"), "") << "in flight";
}

}  // namespace
}  // namespace eventspace::exports
