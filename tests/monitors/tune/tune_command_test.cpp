#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "pathmaps/pathmap.h"
#include "tests/monitors/top/terminal_program.h"
#include "tests/monitors/workplace.h"

// `eventspace tune` beside a running application: threads a (process p0, node n1) and b (p1, n2), each
// writing to its path "log" about every millisecond.
namespace eventspace {
namespace {

using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::TerminalProgram;

class TuneCommand : public testing_commands::Workplace {
 protected:
  void start_application(const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{TINY_APP};
    command.insert(command.end(), more.begin(), more.end());
    application_.emplace(start_application_of(pathmap_, command));
  }
  void start_servers() { start_servers_of(pathmap_); }
  std::vector<std::string> tune_words(const std::vector<std::string>& options) {
    std::vector<std::string> words{"tune", pathmap_, "--scope", "all", "--progress", "log"};
    words.insert(words.end(), options.begin(), options.end());
    const auto default_to = [&](const char* option, const char* value) {
      if (std::find(options.begin(), options.end(), option) == options.end())
        words.insert(words.end(), {option, value});
    };
    default_to("--slice", "50ms");
    // For machines that are busy with other work.
    default_to("--patience", "60s");
    default_to("--for", "2min");
    return words;
  }
  Call tune(const std::vector<std::string>& options) {
    Call tuned = start(tune_words(options));
    tuned.status(std::chrono::seconds(150));
    return tuned;
  }
  void signal_application(int number) {
    for (const int pid : processes_with(TINY_APP)) ::kill(pid, number);
  }
  /// Begins to measure trees one after the other, for long, and waits until it has measured one: it then says
  /// on its terminal which is the best so far.
  std::unique_ptr<TerminalProgram> begin_tuning(const std::vector<std::string>& more) {
    std::vector<std::string> options{"--max-slowdown", "1000", "--pairs",    "5",      "--candidates", "40",
                                     "--for",          "5min", "--priority", "normal", "--exhaustive"};
    options.insert(options.end(), more.begin(), more.end());
    std::vector<std::string> words = tune_words(options);
    words.insert(words.begin(), EVENTSPACE_PROGRAM);
    auto tuned = std::make_unique<TerminalProgram>(words, 60, 250);
    EXPECT_TRUE(tuned->sees("best ")) << tuned->seen().text();
    return tuned;
  }

  /// A computing application cannot be faster while it is watched. One that sleeps between its steps can: a
  /// busy processor wakes it sooner.
  void start_computing_application() { start_application({"1000000", "computing"}); }
  /// The search ended early with the measurements so far: they meet the goal, or there are too few pairs.
  static void expect_kept(TerminalProgram& tuned) {
    const int status = tuned.status();
    const std::string text = tuned.seen().text();
    EXPECT_THAT(status, AnyOf(0, 1)) << text;
    EXPECT_THAT(text, HasSubstr(status == 0 ? "best: " : "inconclusive: "));
    EXPECT_THAT(text, ContainsRegex("[1-9][0-9]* of [0-9]+ trees of scope all measured"));
  }

  /// The number of trees in "9 of 36 trees of scope all measured".
  static std::size_t trees_in(const std::string& text) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("[0-9]+ of ([0-9]+) trees"))) return 0;
    return std::stoul(found[1]);
  }

  static std::vector<nlohmann::json> objects_in(const std::string& text) {
    std::vector<nlohmann::json> objects;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) objects.push_back(nlohmann::json::parse(line));
    return objects;
  }

  std::filesystem::path pathmap_ = tiny();
  std::optional<Call> application_;
};

TEST_F(TuneCommand, WritesTheBestAsAPathmapWithTheSameSourcesAndAPicture) {
  start_servers();
  start_computing_application();
  auto tuned = tune({"--max-slowdown", "1000", "--pairs", "1", "--candidates", "12", "-o", file("best.yaml"),
                     "--plot", file("front.svg"), "--format", "json"});
  ASSERT_EQ(tuned.status(), 0) << tuned.err();
  const auto rows = objects_in(tuned.out());
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["best"], true);
  EXPECT_GT(rows[0]["rate"].get<double>(), 0);
  for (const auto& row : rows) {
    if (!row["rate"].is_null()) {  // else that tree could not be measured
      EXPECT_LE(row["rate"].get<double>(), rows[0]["rate"].get<double>());
    }
  }
  auto check = call({"check", file("best.yaml")});
  EXPECT_EQ(check.status(), 0) << check.err();
  const Plan plan = require_plan(file("best.yaml"));
  ASSERT_NE(plan.find_scope("all-tuned"), nullptr);
  EXPECT_EQ(count_sources(plan.find_scope("all-tuned")->root), count_sources(plan.find_scope("all")->root));
  EXPECT_THAT(testing_commands::read_text(file("front.svg")), HasSubstr("</svg>"));
  EXPECT_THAT(tuned.err(), HasSubstr("as scope all-tuned"));
}

TEST_F(TuneCommand, MeasuresAllIfExhaustiveElseAQuarter) {
  start_servers();
  start_computing_application();
  const std::vector<std::string> common{"--max-slowdown", "1000", "--pairs",    "1",  "--candidates", "40",
                                        "--format",       "json", "--priority", "low"};
  auto words = common;
  words.emplace_back("--exhaustive");
  auto all = tune(words);
  ASSERT_EQ(all.status(), 0) << all.err();
  auto some = tune(common);
  ASSERT_EQ(some.status(), 0) << some.err();
  const auto tried = objects_in(some.out()).size();
  const std::size_t candidates = trees_in(some.err());
  EXPECT_GT(candidates, 20U) << some.err();
  EXPECT_LE(tried, std::max<std::size_t>(candidates / 4, 8));
  EXPECT_EQ(trees_in(all.err()), candidates);
  EXPECT_GT(objects_in(all.out()).size(), tried);
}

TEST_F(TuneCommand, MeasuresTheBestTreeWithEachPriorityAndSaysWhichOneItTakes) {
  start_servers();
  start_computing_application();
  // What is idle has little of a busy machine, and takes its time.
  auto tuned = tune({"--max-slowdown", "1000", "--pairs", "1", "--candidates", "2", "-o", file("best.yaml"),
                     "--format", "json"});
  ASSERT_EQ(tuned.status(), 0) << tuned.err();
  std::set<std::string> of_the_best;
  std::string best;
  for (const auto& row : objects_in(tuned.out()))
    if (row["best"] == true) best = row["priority"];
  for (const auto& row : objects_in(tuned.out()))
    if (row["scope"] == objects_in(tuned.out())[0]["scope"]) of_the_best.insert(row["priority"]);
  EXPECT_EQ(of_the_best, (std::set<std::string>{"idle", "low", "normal"})) << tuned.out();
  EXPECT_THAT(tuned.err(), HasSubstr("2 of 2 trees of scope all measured"));
  EXPECT_THAT(tuned.err(), HasSubstr("pull through it with --priority " + best));
  auto normal = tune({"--max-slowdown", "1000", "--pairs", "1", "--candidates", "2", "--format", "json",
                      "--priority", "normal"});
  ASSERT_EQ(normal.status(), 0) << normal.err();
  for (const auto& row : objects_in(normal.out())) EXPECT_EQ(row["priority"], "normal");
}

TEST_F(TuneCommand, AGoalThatNoTreeMeetsIsStatus1AndTheNearestIsNamed) {
  start_servers();
  start_application();
  auto tuned = tune({"--min-rate", "100000000", "--pairs", "1", "--for", "10s", "-o", file("best.yaml")});
  EXPECT_EQ(tuned.status(), 1) << tuned.err();
  EXPECT_THAT(tuned.err(),
              HasSubstr("no tree meets the goal (at least 100000000.0 pulls a second); nearest: all"));
  EXPECT_FALSE(std::filesystem::exists(file("best.yaml")));
}

TEST_F(TuneCommand, TooFewPairsAreInconclusiveAndNothingIsWritten) {
  start_servers();
  start_computing_application();
  // In this time there are at most three pairs.
  auto tuned = tune({"--max-slowdown", "1000", "--pairs", "1000", "--for", "2s", "--slice", "300ms", "-o",
                     file("best.yaml"), "--format", "json"});
  EXPECT_EQ(tuned.status(), 1) << tuned.err();
  for (const auto& row : objects_in(tuned.out())) {
    EXPECT_TRUE(row["meets"].is_null()) << row;
    EXPECT_EQ(row["doubt"], "too few pairs");
  }
  EXPECT_FALSE(std::filesystem::exists(file("best.yaml")));
}

TEST_F(TuneCommand, EndsInTime) {
  start_servers();
  start_application();
  auto tuned = tune({"--max-slowdown", "1000", "--pairs", "1000", "--for", "10s"});
  EXPECT_THAT(tuned.status(), AnyOf(0, 1)) << tuned.err();
  EXPECT_THAT(tuned.err(), HasSubstr("ended early: the time is up"));
}

TEST_F(TuneCommand, CtrlCKeepsTheResultsSoFar) {
  start_servers();
  start_application();
  const auto tuned = begin_tuning({"-o", file("best.yaml")});
  tuned->type("\x03");
  expect_kept(*tuned);
  EXPECT_THAT(tuned->seen().text(), HasSubstr("ended early: interrupted"));
  EXPECT_EQ(std::filesystem::exists(file("best.yaml")), tuned->status() == 0);
  if (tuned->status() == 0) {
    EXPECT_EQ(call({"check", file("best.yaml")}).status(), 0);
  }
}

TEST_F(TuneCommand, AnApplicationThatEndsInTheMiddleEndsItAndKeepsTheResults) {
  start_servers();
  start_application();
  const auto tuned = begin_tuning({"--patience", "10s"});
  application_->signal(SIGINT);
  expect_kept(*tuned);
  // Whichever it notices first.
  EXPECT_THAT(tuned->seen().text(), AnyOf(HasSubstr("ended early: the application has ended"),
                                          HasSubstr("ended early: the application's steps cannot be read")));
}

TEST_F(TuneCommand, AnApplicationThatStallsInTheMiddleEndsItAndKeepsTheResults) {
  start_servers();
  start_application();
  const auto tuned = begin_tuning({"--patience", "10s"});
  signal_application(SIGSTOP);
  expect_kept(*tuned);
  signal_application(SIGCONT);
  EXPECT_THAT(tuned->seen().text(), AnyOf(HasSubstr("ended early: the application completed no step for 10"),
                                          HasSubstr("ended early: the application's steps cannot be read")));
}

TEST_F(TuneCommand, WithoutServersItIsStatus3AndSaysHowToStartThem) {
  start_application();
  auto tuned = tune({"--max-slowdown", "2", "--patience", "300ms"});
  EXPECT_EQ(tuned.status(), 3) << tuned.err();
  EXPECT_THAT(tuned.err(),
              HasSubstr("no server of session 'tiny' answers (nodes n1..n2): run `eventspace up"));
}

TEST_F(TuneCommand, WithoutTheApplicationItIsStatus3) {
  start_servers();
  auto tuned = tune({"--max-slowdown", "2", "--patience", "2s"});
  EXPECT_EQ(tuned.status(), 3) << tuned.err();
  EXPECT_THAT(tuned.err(),
              AnyOf(HasSubstr("the application has ended, or is not running"), HasSubstr("(no segment)")));
}

TEST_F(TuneCommand, InvalidOptionsAreStatus2) {
  const auto refused = [this](const std::vector<std::string>& words, const std::string& text) {
    auto tuned = call(words);
    EXPECT_EQ(tuned.status(), 2) << tuned.err();
    EXPECT_THAT(tuned.err(), HasSubstr(text));
  };
  refused({"tune", pathmap_, "--scope", "al", "--max-slowdown", "1.1"}, "no scope 'al'; it has all");
  refused(tune_words({}), "expected --max-slowdown, such as 1.05, or --min-rate");
  refused({"tune", pathmap_, "--scope", "all", "--max-slowdown", "1.1"},
          "--progress 'progress' must select paths that each step of the application uses");
  refused(tune_words({"--max-slowdown", "0.5"}), "--max-slowdown");
  refused(tune_words({"--min-rate", "1", "-o", pathmap_}), "is the pathmap itself");
  refused(tune_words({"--min-rate", "1", "-o", file("no/best.yaml")}), "its folder does not exist");
  refused(tune_words({"--min-rate", "1", "--plot", file("front.gif")}), "ends with .svg, .png, .pdf or .dot");
}

}  // namespace
}  // namespace eventspace
