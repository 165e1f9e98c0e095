#include <signal.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/monitors/collectives/collectives_workplace.h"
#include "tests/monitors/json_lines.h"

// Compares the output of monitors while the program ran with their output on its recording.
namespace eventspace {
namespace {

using testing_commands::Call;
using Json = nlohmann::json;
using testing_commands::objects_in;

constexpr int operations = 200;

/// Four threads in a collective, 199 times; then one of them stays away. Monitors and a recorder run from the
/// beginning.
class RecordedAnswers : public testing_commands::CollectivesWorkplace {
 protected:
  void start_live(const std::vector<std::string>& question) {
    std::vector<std::string> words{question.front(), pathmap_};
    words.insert(words.end(), question.begin() + 1, question.end());
    live_.push_back(start(words));
    questions_.push_back(question);
  }
  /// Runs the application until it is stuck and all its events were read, and ends all processes.
  void run_all() {
    record_.emplace(start({"record", pathmap_, "-o", file("run.evs"), "--interval", "5ms", "--quiet"}));
    ASSERT_TRUE(testing_commands::eventually([&] { return std::filesystem::exists(file("run.evs")); }));
    run({"absent", "t3", std::to_string(operations)});
    Call stuck = start({"collectives", pathmap_, "--each", "--interval", "50ms", "--open", "300ms"});
    ASSERT_TRUE(stuck.says("absent: t3\n")) << stuck.err();
    stuck.signal(SIGINT);
    (void)stuck.status();
    // When another monitor has reported it ten times, a monitor that pulls each 50 ms has pulled after it.
    ASSERT_EQ(call({"heartbeat", pathmap_, "--interval", "50ms", "--for", "1s"}).status(), 0);
    for (Call& one : live_) {
      one.signal(SIGINT);
      statuses_.push_back(one.status());
    }
    record_->signal(SIGINT);
    EXPECT_EQ(record_->status(), 0) << record_->err();
    application_->signal(SIGTERM);
    (void)application_->status();
    (void)call({"down", pathmap_});
  }
  /// The answer of the recording to a question, without options that only running sessions accept.
  Call recorded(std::size_t question) {
    std::vector<std::string> words = questions_[question];
    words.insert(words.begin() + 1, file("run.evs"));
    return call(words);
  }

  std::vector<std::vector<std::string>> questions_;
  std::vector<Call> live_;
  std::vector<int> statuses_;
  std::optional<Call> record_;
};

std::string key_of(const Json& row) {
  std::string key;
  for (const char* const part : {"collective", "kind", "name", "node", "figure"})
    key += row[part].get<std::string>() + '/';
  return key;
}

// Times of one process are converted with the calibration of its clock that was known when they were read. So
// a time in one output may differ from the other by both bounds.
void expect_same_totals(const std::string& live, const std::string& recorded) {
  std::map<std::string, Json> rows;
  for (Json& row : objects_in(live)) rows.emplace(key_of(row), std::move(row));
  std::size_t sums = 0;
  for (const Json& row : objects_in(recorded)) {
    const std::string key = key_of(row);
    ASSERT_TRUE(rows.contains(key)) << key;
    const Json& other = rows.at(key);
    // Which thread was last is judged by bounds, which differ.
    const bool is_judged = row["kind"] != "operations" || row["figure"] == "unattributed";
    sums += row["sum_ns"].is_number() && row["sum_ns"].get<double>() != 0 ? 1 : 0;
    EXPECT_TRUE(is_judged || row["count"] == other["count"]) << key << ": " << row << " and live " << other;
    if (!row["sum_ns"].is_number() || is_judged) continue;
    const double bound = row["error_ns"].get<double>() + other["error_ns"].get<double>() + 1000.0;
    EXPECT_LE(std::abs(row["sum_ns"].get<double>() - other["sum_ns"].get<double>()), bound) << key;
    rows.erase(key);
  }
  EXPECT_GT(sums, 10u);
}

TEST_F(RecordedAnswers, TotalsOfCollectivesAndValuesAndStallsAreThoseThatMonitorsGaveWhileTheProgramRan) {
  start_servers_of(pathmap_);
  start_live({"collectives", "--interval", "50ms", "--total", "--format", "json"});
  start_live({"values", "--interval", "50ms", "--of", "bytes", "--by", "thread", "--as", "sum", "--total",
              "--quiet", "--format", "json"});
  run_all();
  ASSERT_FALSE(HasFatalFailure());
  Call totals = recorded(0);
  EXPECT_EQ(totals.status(), statuses_[0]) << totals.err();
  expect_same_totals(live_[0].out(), totals.out());
  const auto complete = [](const std::string& text) {
    for (const Json& row : objects_in(text))
      if (row["kind"] == "operations" && row["figure"] == "complete") return row["count"].get<int>();
    return 0;
  };
  EXPECT_EQ(complete(totals.out()), operations - 1) << totals.out();

  Call values = recorded(1);
  EXPECT_EQ(values.status(), statuses_[1]) << values.err();
  // Totals grow from pull to pull: the last of each thread counts.
  const auto rows = [](const std::string& text) {
    std::map<std::string, std::string> last;
    for (Json& row : objects_in(text)) {
      row.erase("time_s");
      last[row["group"].dump()] = row.dump();
    }
    return last;
  };
  EXPECT_EQ(rows(values.out()), rows(live_[1].out()));
  EXPECT_GE(rows(values.out()).size(), 4u) << values.out();

  Call stalled = call({"heartbeat", file("run.evs"), "--until-stall", "--stall", "200ms"});
  EXPECT_EQ(stalled.status(), 1);
  EXPECT_THAT(stalled.out(), testing::HasSubstr("STALL at"));
}

}  // namespace
}  // namespace eventspace
