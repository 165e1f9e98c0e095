// Compares the results of monitors on a random MPI job while it runs, their results on its recording, and the
// results of a reader without shared code on its export: all must be equal. EVENTSPACE_REPLAY_SEED sets the
// first seed.
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/monitors/mpi/mpi_job.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::eventually;
using testing_commands::lines_of;
using testing_commands::objects_in;
using Json = nlohmann::json;

/// Queries an exported recording in SQL, with the library of SQLite alone.
class Database {
 public:
  explicit Database(const std::filesystem::path& file) {
    EXPECT_EQ(sqlite3_open_v2(file.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  using Row = std::vector<std::string>;
  [[nodiscard]] std::vector<Row> rows(const std::string& sql) const {
    std::vector<Row> rows;
    const auto add = [](void* to, int count, char** values, char**) {
      Row& row = static_cast<std::vector<Row>*>(to)->emplace_back();
      for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), add, &rows, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(database_);
    return rows;
  }
  [[nodiscard]] std::int64_t number(const std::string& sql) const {
    const auto found = rows(sql);
    return found.empty() || found[0][0].empty() ? 0 : std::stoll(found[0][0]);
  }
  /// Maps names, which are all columns except the last, to the number in the last column.
  [[nodiscard]] std::map<std::string, double> numbers(const std::string& sql) const {
    std::map<std::string, double> all;
    for (const Row& row : rows(sql)) {
      std::string key;
      for (std::size_t i = 0; i + 1 < row.size(); ++i) key += row[i] + "|";
      all[key] = std::stod(row.back());
    }
    return all;
  }

 private:
  sqlite3* database_{nullptr};
};

std::uint64_t first_seed() {
  const char* const given = std::getenv("EVENTSPACE_REPLAY_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

class ReplayedJob : public test::MpiJob {
 protected:
  ~ReplayedJob() override {
    for (const int pid : processes_with(RANDOM_JOB)) ::kill(pid, SIGKILL);
  }

  [[nodiscard]] std::string recording() const { return file("job.evs").string(); }

  Call start_job(std::uint64_t seed) {
    std::vector<std::string> words{"run", "--session", "job", "--", MPIRUN, "-np", "4"};
    if (std::string(MPI_NAME) == "openmpi") words.emplace_back("--oversubscribe");
    words.emplace_back(RANDOM_JOB);
    words.push_back(std::to_string(seed));
    return start(words);
  }
  /// Runs the job while monitors watch it and a recorder records it, until all have ended.
  void run_watched(std::uint64_t seed) {
    Call program = start_job(seed);
    ASSERT_TRUE(program.says("ready")) << program.err();
    for (const auto& question : questions()) live_.push_back(start(asked(question, "job")));
    Call heartbeat = start({"heartbeat", "job"});
    Call record = start({"record", "job", "-o", recording(), "--until-end"});
    ASSERT_TRUE(live_[events].says("MPI_Comm_split")) << live_[events].err();
    ASSERT_TRUE(live_[values].says("job")) << live_[values].err();
    ASSERT_TRUE(live_[measure].says("Barrier_count")) << "what ended before it began does not count";
    ASSERT_TRUE(heartbeat.says("running")) << heartbeat.err();
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(recording()); })) << record.err();
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
    EXPECT_EQ(record.status(), 0) << record.err();
    recorder_said_ = record.err();
    EXPECT_EQ(heartbeat.status(), 0) << heartbeat.out();
    EXPECT_THAT(heartbeat.out(), HasSubstr("ended: ")) << "it ends by itself";
  }

  enum Question : std::size_t { events, collectives, values, measure };
  static std::vector<std::vector<std::string>> questions() {
    return {
        {"events", "--apart", "--interval", "50ms", "--format", "csv", "--verbose"},
        {"collectives", "--each", "--interval", "50ms", "--format", "json", "--verbose"},
        {"values", "--of", "bytes", "--by", "thread", "--as", "sum", "--total", "--interval", "50ms",
         "--format", "json", "--verbose"},
        {"measure", "Send_count", "Send_volume", "Receive_count", "Collective_count", "Collective_volume",
         "Barrier_count", "--interval", "50ms", "--format", "json", "--verbose"},
    };
  }
  static std::vector<std::string> asked(std::vector<std::string> question, const std::string& what) {
    question.insert(question.begin() + 1, what);
    return question;
  }

  // --- compared values ------------------------------------------------------------------------------

  /// The cells of the events that do not depend on clocks, sorted. A monitor that watches may print an event
  /// before the name of its place in the code has come.
  static std::multiset<std::string> steady_events(const std::string& csv) {
    static const std::set<std::string> changing{"start_ns", "start_here_ns", "error_ns", "site"};
    std::multiset<std::string> rows;
    const std::vector<std::string> lines = lines_of(csv);
    if (lines.empty()) return rows;
    const std::vector<std::string> names = cells_of(lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::vector<std::string> cells = cells_of(lines[i]);
      std::string row;
      for (std::size_t cell = 0; cell < cells.size() && cell < names.size(); ++cell)
        if (!changing.contains(names[cell])) row += cells[cell] + ",";
      rows.insert(row);
    }
    return rows;
  }
  static std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool is_quoted = false;
    for (const char c : line) {
      is_quoted ^= c == '"';
      if (c == ',' && !is_quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    }
    return cells;
  }
  struct Ended {
    Json row;
    [[nodiscard]] double ns(const char* what) const {
      return row[what].is_null() ? 0 : row[what]["ns"].get<double>();
    }
    [[nodiscard]] double error(const char* what) const {
      return row[what].is_null() || row[what]["error_ns"].is_null() ? 1e18
                                                                    : row[what]["error_ns"].get<double>();
    }
  };
  static std::map<std::string, Ended> operations_in(const std::string& json) {
    std::map<std::string, Ended> operations;
    for (const std::string& line : lines_of(json)) {
      if (line.empty() || line.back() != '}') continue;  // it is being written
      Json row = Json::parse(line);
      if (row["type"] != "operation" || row["state"] == "open") continue;
      const std::string key = row["collective"].get<std::string>() + "#" + row["number"].dump();
      EXPECT_FALSE(operations.contains(key)) << key << " comes twice";
      operations[key] = {row};
    }
    return operations;
  }
  /// The last number of each value, by name.
  static std::map<std::string, double> last_values(const std::string& json) {
    std::map<std::string, double> last;
    for (const std::string& line : lines_of(json)) {
      if (line.empty() || line.back() != '}') continue;
      const Json row = Json::parse(line);
      std::string key =
          row.contains("metric") ? row["metric"].get<std::string>() : row["name"].get<std::string>();
      key += row.contains("objects") ? row["objects"].dump() : row["group"].dump();
      if (row["value"].is_number()) last[key] = row["value"].get<double>();
    }
    return last;
  }

  /// Queries the recording, and ends the live monitors, which first read the remaining events.
  void ask_recording() {
    for (Call& live : live_) live.signal(SIGINT);
    for (std::size_t i = 0; i < live_.size(); ++i) {
      EXPECT_EQ(live_[i].status(), 0) << questions()[i][0] << ": " << live_[i].err();
      Call replay = call(asked(questions()[i], recording()));
      EXPECT_EQ(replay.status(), 0) << questions()[i][0] << ": " << replay.err();
      recorded_.push_back(replay.out());
      recorded_said_.push_back(replay.err());
    }
  }
  /// Whether a monitor reports that it missed events.
  [[nodiscard]] static bool is_marked_incomplete(const std::string& said) {
    return said.find("stopped: ") != std::string::npos ||
           said.find(" discarded before ") != std::string::npos ||
           said.find(" torn: ") != std::string::npos || said.find("missing at times: ") != std::string::npos;
  }
  /// Whether live and recorded answers must be equal. If not, one of them is marked incomplete.
  [[nodiscard]] bool must_be_equal(Question question) {
    if (!is_marked_incomplete(live_[question].err()) && !is_marked_incomplete(recorded_said_[question]))
      return true;
    std::cout << questions()[question][0] << " says that it is incomplete: " << live_[question].err()
              << recorded_said_[question];
    return false;
  }

  void compare_with_live() {
    if (must_be_equal(events)) {
      EXPECT_EQ(steady_events(live_[events].out()), steady_events(recorded_[events]));
    }
    if (must_be_equal(values)) {
      EXPECT_EQ(last_values(live_[values].out()), last_values(recorded_[values]));
    }
    if (must_be_equal(collectives))
      compare_operations(operations_in(live_[collectives].out()), operations_in(recorded_[collectives]));
    if (must_be_equal(measure)) compare_measurements();
  }

  static std::int64_t beginning_of(const std::string& measured) {
    for (const std::string& line : lines_of(measured))
      if (!line.empty() && line.back() == '}') return Json::parse(line)["began_ns"].get<std::int64_t>();
    return 0;
  }
  /// Events that ended before a measurement began do not count; each measurement contains its beginning.
  void compare_measurements() {
    const std::int64_t live = beginning_of(live_[measure].out());
    const std::int64_t recorded = beginning_of(recorded_[measure]);
    constexpr std::int64_t slack_ns = 1'000'000;  // each process reads the time of day separately
    const Database database(file("job.sqlite"));
    const std::int64_t between =
        database.number("select count(*) from events where kind = 'mpi' and end_ns > " +
                        std::to_string(std::min(live, recorded) - slack_ns) + " and end_ns < " +
                        std::to_string(std::max(live, recorded) + slack_ns));
    if (between == 0) {
      EXPECT_EQ(last_values(live_[measure].out()), last_values(recorded_[measure]));
    } else {
      std::cout << "measure: " << between << " calls ended between the beginnings\n";
    }
    for (const auto& [metric, condition] : counted_calls()) {
      const auto counted = calls_since(database, metric, condition, live);
      const auto values_now = last_values(live_[measure].out());
      for (const auto& [key, number] : counted) {
        ASSERT_TRUE(values_now.contains(key)) << key;
        if (between == 0) {
          EXPECT_EQ(values_now.at(key), number) << key;
        }
      }
    }
  }
  /// Metrics that count calls, each with the SQL condition for these calls.
  static std::vector<std::pair<std::string, std::string>> counted_calls() {
    return {{"Collective_count", "verb = 'collective'"}, {"Barrier_count", "name = 'MPI_Barrier'"}};
  }
  static std::map<std::string, double> calls_since(const Database& database, const std::string& metric,
                                                   const std::string& condition, std::int64_t since_ns) {
    std::map<std::string, double> expected;
    for (const auto& [process, number] :
         database.numbers("select process, count(*) from events where kind = 'mpi' and " + condition +
                          " and end_ns > " + std::to_string(since_ns) + " group by process"))
      expected[metric + "[\"" + process.substr(0, process.size() - 1) + "\"]"] = number;
    return expected;
  }
  static void compare_operations(const std::map<std::string, Ended>& live,
                                 const std::map<std::string, Ended>& recorded) {
    EXPECT_EQ(live.size(), recorded.size());
    for (const auto& [key, operation] : recorded) {
      ASSERT_TRUE(live.contains(key)) << key;
      const Ended& other = live.at(key);
      EXPECT_EQ(operation.row["state"], "complete") << operation.row;
      EXPECT_EQ(other.row["state"], "complete") << other.row;
      // Values that are certain in both must be the same.
      if (operation.row["last"].is_string() && other.row["last"].is_string()) {
        EXPECT_EQ(operation.row["last"], other.row["last"]) << key;
      }
      for (const char* const time : {"after_first", "waiting"})
        EXPECT_LE(std::abs(operation.ns(time) - other.ns(time)),
                  operation.error(time) + other.error(time) + 10)
            << key << ' ' << time << ": " << operation.row << " live " << other.row;
    }
  }

  // --- the independent reader -----------------------------------------------------------------------

  void compare_with_export() {
    Call exported = call({"export", recording(), "--to", "sqlite", "-o", file("job.sqlite").string()});
    ASSERT_EQ(exported.status(), 0) << exported.err();
    const Database database(file("job.sqlite"));
    compare_counts(database, exported.err());
    compare_operations(database);
    compare_metrics(database);
    compare_profile(database);
    for (const char* const interval : {"37ms", "250ms"}) compare_intervals(database, interval);
  }

  /// All commands count the same events.
  void compare_counts(const Database& database, const std::string& export_said) {
    const std::int64_t count = database.number("select count(*) from events where not in_flight");
    const std::string words = std::to_string(count) + " events";
    EXPECT_EQ(database.number("select value from recording where name = 'events'"), count);
    EXPECT_EQ(database.number("select count(*) from events where in_flight"), 0) << "it has ended";
    EXPECT_THAT(recorder_said_, HasSubstr(words));
    EXPECT_THAT(export_said, HasSubstr(words));
    const auto info = objects_in(call({"info", recording(), "--format", "json"}).out());
    ASSERT_EQ(info.size(), 1U);
    EXPECT_EQ(info[0]["events"], count);
    EXPECT_THAT(call({"profile", recording(), "--verbose"}).err(), HasSubstr(words));
    EXPECT_EQ(steady_events(recorded_[events]).size(), static_cast<std::size_t>(count));
    EXPECT_THAT(recorded_said_[collectives], HasSubstr(words));
  }

  /// Compares each operation, from the first to the last, and the rank that began it last.
  void compare_operations(const Database& database) {
    const auto told = operations_in(recorded_[collectives]);
    const auto counted = database.numbers(
        "select communicator, ordinal, max(begin_ns) - min(begin_ns) from events where kind = 'mpi' and "
        "ordinal "
        "is not null and verb = 'collective' group by communicator, ordinal");
    EXPECT_EQ(told.size(), counted.size());
    for (const auto& [key, spread] : counted) {
      const std::size_t bar = key.find('|');
      const auto operation = told.find(key.substr(0, bar) + "#" + key.substr(bar + 1, key.size() - bar - 2));
      ASSERT_NE(operation, told.end()) << key;
      EXPECT_LE(std::abs(operation->second.ns("after_first") - spread),
                operation->second.error("after_first") + 10'000)
          << key << operation->second.row;
    }
  }

  void compare_metrics(const Database& database) {
    // The measurement began when the recorder did.
    const std::int64_t since = database.number("select value from recording where name = 'begin_ns'");
    EXPECT_EQ(beginning_of(recorded_[measure]), since);
    const auto measured = last_values(recorded_[measure]);
    for (const auto& [metric, condition] : counted_calls()) {
      for (const auto& [key, number] : calls_since(database, metric, condition, since)) {
        ASSERT_TRUE(measured.contains(key)) << key;
        EXPECT_EQ(measured.at(key), number) << key;
      }
    }
  }

  void compare_profile(const Database& database) {
    std::map<std::string, double> calls;
    for (const Json& row :
         objects_in(call({"profile", recording(), "--limit", "0", "--format", "json"}).out()))
      if (row["table"] == "calls") calls[row["call"].get<std::string>() + "|"] += row["calls"].get<double>();
    EXPECT_EQ(calls, database.numbers("select name, count(*) from events where kind = 'mpi' group by name"));
  }

  /// The count of an interval is the number of events that ended in it. An event that ended within its clock
  /// error of a boundary may be on either side.
  void compare_intervals(const Database& database, const std::string& interval) {
    const std::int64_t begin = database.number("select value from recording where name = 'begin_ns'");
    const auto ns = [&](double s) { return std::to_string(begin + std::llround(s * 1e9)); };
    const auto most = [&](double from, double to) {
      return static_cast<double>(
          database.number("select count(*) from events where end_ns + ifnull(error_ns, 0) + 100 > " +
                          ns(from) + " and end_ns - ifnull(error_ns, 0) - 100 <= " + ns(to)));
    };
    const auto least = [&](double from, double to) {
      return static_cast<double>(
          database.number("select count(*) from events where end_ns - ifnull(error_ns, 0) - 100 > " +
                          ns(from) + " and end_ns + ifnull(error_ns, 0) + 100 <= " + ns(to)));
    };
    std::map<double, double> told;  // by the end of the interval
    for (const Json& row : objects_in(call({"values", recording(), "--of", "duration", "--as", "count",
                                            "--by", "thread", "--interval", interval, "--format", "json"})
                                          .out()))
      told[row["time_s"].get<double>()] += row["count"].get<double>();
    ASSERT_GT(told.size(), 1U);
    const double step = std::stod(interval) / 1e3;
    double sum = 0;
    for (const auto& [time, number] : told) {
      sum += number;
      // The first interval has all events that ended before recording began; the last may be shorter.
      const double from = time == told.begin()->first ? -1e6 : std::floor((time - 1e-6) / step) * step;
      EXPECT_LE(number, most(from, time)) << interval << " to " << time;
      EXPECT_GE(number, least(from, time)) << interval << " to " << time;
    }
    EXPECT_EQ(sum, static_cast<double>(database.number("select count(*) from events")));
  }

  void judge_end() {
    for (const std::vector<std::string>& question :
         {std::vector<std::string>{"heartbeat"}, {"heartbeat", "--until-stall"}, {"top"}, {"collectives"}}) {
      Call replay = call(asked(question, recording()));
      EXPECT_EQ(replay.status(), 0) << question[0] << replay.out() << replay.err();
      EXPECT_THAT(replay.out() + replay.err(), HasSubstr("4 ranks have returned from MPI_Finalize"));
      EXPECT_THAT(replay.out() + replay.err(), testing::Not(HasSubstr("STALL")));
    }
  }

  void run_seed(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const char* const old : {"go", "job.evs", "job.sqlite"}) std::filesystem::remove(file(old));
    live_.clear();
    recorded_.clear();
    recorded_said_.clear();
    run_watched(seed);
    if (HasFatalFailure()) return;
    ask_recording();
    compare_with_export();
    if (HasFatalFailure()) return;
    compare_with_live();
    judge_end();
  }

  std::vector<Call> live_;
  std::vector<std::string> recorded_;  // by question
  std::vector<std::string> recorded_said_;
  std::string recorder_said_;
};

TEST_F(ReplayedJob, ARecordingAnswersAsTheLiveRunAndAsItsExport) { run_seed(first_seed()); }

/// Ten seeds each.
class ReplayedJobs : public ReplayedJob, public testing::WithParamInterface<int> {};

TEST_P(ReplayedJobs, ManySeedsAnswerAsTheLiveRunsAndAsTheirExports) {
  for (int i = 0; i < 10 && !HasFailure(); ++i)
    run_seed(first_seed() + 1 + static_cast<std::uint64_t>(10 * GetParam() + i));
}
INSTANTIATE_TEST_SUITE_P(Seeds, ReplayedJobs, testing::Range(0, 10));

TEST_F(ReplayedJob, ARankThatIsKilledOrEndsWithoutFinalizeIsAFaultInTheRecordingToo) {
  Call program = start_job(first_seed());
  ASSERT_TRUE(program.says("ready")) << program.err();
  Call record = start({"record", "job", "-o", recording(), "--until-end", "--state", "100ms"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(recording()); })) << record.err();
  ASSERT_EQ(call({"heartbeat", "job", "--once"}).status(), 0);
  for (const int pid : processes_with(RANDOM_JOB)) ::kill(pid, SIGKILL);
  (void)program.status();
  EXPECT_EQ(record.status(), 0) << record.err();
  Call replay = call({"heartbeat", recording(), "--until-stall"});
  EXPECT_EQ(replay.status(), 1) << replay.out();
  EXPECT_THAT(replay.out(), HasSubstr("STALL dead"));
}

}  // namespace
}  // namespace eventspace
