// `eventspace efficiency` on recordings of simulated programs whose factors have a closed form.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "monitors/cli/command.h"
#include "monitors/whatif/recording/simulated_recording.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/whatif/simulation/program_story.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
Command efficiency_command(const CommandContext& context);
Command measure_command(const CommandContext& context);

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing_commands::ProgramCall;
using Row = nlohmann::json;
namespace story = whatif::story;

constexpr double within = 0.02;  // two points

class EfficiencyCommand : public testing::Test {
 protected:
  /// Repeats the lines `times` times, between two barriers.
  static std::string program_of(std::size_t tasks, const std::string& step, int times) {
    std::string lines = all(tasks, "barrier");
    for (int i = 0; i < times; ++i) lines += step;
    return lines + all(tasks, "barrier") + all(tasks, "end");
  }
  static std::string all(std::size_t tasks, const std::string& action) {
    std::string lines;
    for (std::size_t task = 0; task < tasks; ++task) lines += std::to_string(task) + " " + action + "\n";
    return lines;
  }
  void record(std::size_t tasks, const std::string& lines, const whatif::LogGpNetwork& network = {}) {
    const auto program = story::program(tasks, lines);
    const auto outcome = story::outcome(program, story::loggp(network), {.traces = true, .times = true});
    whatif::write_simulated_recording(file(), program, outcome);
  }
  [[nodiscard]] std::string file(const std::string& name = "run.evs") const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] ProgramCall efficiency(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"efficiency", file(), "--quiet"});
    return testing_commands::call_program({efficiency_command({})}, more);
  }
  [[nodiscard]] std::vector<Row> rows(const std::string& table, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--format", "json"});
    const ProgramCall call = efficiency(more);
    EXPECT_EQ(call.status, exit_fine) << call.err;
    std::vector<Row> found;
    for (const Row& row : testing_commands::objects_in(call.out))
      if (row["table"] == table) found.push_back(row);
    return found;
  }
  [[nodiscard]] Row whole() const { return rows("intervals").at(0); }
  [[nodiscard]] Row answer() const { return rows("answer").at(0); }

  struct Expected {
    double parallel, load_balance, communication, serialisation, transfer;
  };
  static void expect(const Row& row, const Expected& of) {
    EXPECT_NEAR(row["parallel"].get<double>(), of.parallel, within);
    EXPECT_NEAR(row["load_balance"].get<double>(), of.load_balance, within);
    EXPECT_NEAR(row["communication"].get<double>(), of.communication, within);
    for (const char* const bound : {"serialisation_least", "serialisation_most"})
      EXPECT_NEAR(row[bound].get<double>(), of.serialisation, within) << bound;
    for (const char* const bound : {"transfer_least", "transfer_most"})
      EXPECT_NEAR(row[bound].get<double>(), of.transfer, within) << bound;
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(EfficiencyCommand, InjectedImbalanceIsLoadBalance) {
  record(4, program_of(
                4, "0 compute 100ms\n1 compute 100ms\n2 compute 100ms\n3 compute 200ms\n" + all(4, "barrier"),
                10));
  expect(whole(), {5.0 / 8, 5.0 / 8, 1, 1, 1});
  EXPECT_EQ(answer()["limit"], "load_balance");
  EXPECT_EQ(answer()["by"], "t3");
  EXPECT_TRUE(answer()["simulated"].get<bool>());
  EXPECT_NEAR(answer()["cost_s"].get<double>(), 0.75, 0.01);
  EXPECT_THAT(efficiency().out, AllOf(StartsWith("parallel efficiency 62 %: limited by load balance (6"),
                                      HasSubstr(" %): t3 computes 750ms longer than the mean\n")));
}

TEST_F(EfficiencyCommand, ATokenInARingIsSerialisation) {
  std::string step;
  for (int task = 0; task < 4; ++task)
    step += fmt::format("{0} recv {1} 8B\n{0} compute 100ms\n{0} send {2} 8B\n", task, (task + 3) % 4,
                        (task + 1) % 4);
  const std::string first = "3 send 0 8B\n";
  std::string lines = all(4, "barrier") + first;
  for (int i = 0; i < 5; ++i) lines += step;
  lines.erase(lines.rfind("3 send 0 8B\n"), first.size());
  record(4, lines + all(4, "barrier") + all(4, "end"));
  expect(whole(), {0.25, 1, 0.25, 0.25, 1});
  EXPECT_EQ(answer()["limit"], "serialisation");
}

TEST_F(EfficiencyCommand, ASlowLinkIsTransfer) {
  record(2,
         program_of(2, "0 compute 10ms\n1 compute 10ms\n0 send 1 8B\n1 send 0 8B\n0 recv 1 8B\n1 recv 0 8B\n",
                    200),
         {.latency = 10'000 * story::us});
  expect(whole(), {0.5, 1, 0.5, 1, 0.5});
  EXPECT_EQ(answer()["limit"], "transfer");
  EXPECT_THAT(answer()["by"].get<std::string>(), HasSubstr("take from/t"));
  EXPECT_THAT(rows("calls").at(0)["call"].get<std::string>(), HasSubstr("take from/t"));
}

TEST_F(EfficiencyCommand, SendersThatAreLateInTurnAreSerialisation) {
  record(2, program_of(2,
                       "0 compute 300ms\n0 send 1 8B\n1 compute 100ms\n1 recv 0 8B\n"
                       "1 compute 300ms\n1 send 0 8B\n0 compute 100ms\n0 recv 1 8B\n",
                       10));
  expect(whole(), {2.0 / 3, 1, 2.0 / 3, 2.0 / 3, 1});
}

TEST_F(EfficiencyCommand, ALateSenderIsNamed) {
  record(3, program_of(3,
                       "0 compute 300ms\n0 send 1 8B\n0 send 2 8B\n1 compute 100ms\n1 recv 0 8B\n"
                       "2 compute 100ms\n2 recv 0 8B\n0 recv 1 8B\n1 send 0 8B\n",
                       10));
  expect(whole(), {5.0 / 9, 5.0 / 9, 1, 1, 1});
  const auto threads = rows("threads");
  EXPECT_EQ(threads.at(0)["thread"], "t0");
  EXPECT_NEAR(threads.at(0)["caused_s"].get<double>(), 4, 0.1);
}

TEST_F(EfficiencyCommand, SpansFollowAChangeOfTheProgram) {
  const std::string even = all(2, "compute 100ms") + all(2, "barrier");
  const std::string odd = "0 compute 100ms\n1 compute 50ms\n" + all(2, "barrier");
  std::string lines = all(2, "barrier");
  for (int i = 0; i < 10; ++i) lines += even;
  for (int i = 0; i < 10; ++i) lines += odd;
  record(2, lines + all(2, "end"));
  auto curve = rows("intervals", {"--every", "1s"});
  ASSERT_EQ(curve.size(), 3U);
  expect(curve.at(1), {1, 1, 1, 1, 1});
  expect(curve.at(2), {0.75, 0.75, 1, 1, 1});
}

TEST_F(EfficiencyCommand, APartOfARecordingCanBeAsked) {
  const std::string even = all(2, "compute 100ms") + all(2, "barrier");
  const std::string odd = "0 compute 100ms\n1 compute 50ms\n" + all(2, "barrier");
  std::string lines = all(2, "barrier");
  for (int i = 0; i < 10; ++i) lines += even;
  for (int i = 0; i < 10; ++i) lines += odd;
  record(2, lines + all(2, "end"));
  expect(rows("intervals", {"--at", "1s"}).at(0), {0.75, 0.75, 1, 1, 1});
  expect(rows("intervals", {"--for", "1s"}).at(0), {1, 1, 1, 1, 1});
}

// In the first 5 s, the message to t1 is on its way, so t1 would be 5 s earlier than t0 on an ideal network.
// Afterwards each computes for 2.5 s and waits for 2.5 s for messages. The delay before is not part of that.
TEST_F(EfficiencyCommand, APartDoesNotIncludeTheDelaysBefore) {
  record(2,
         "0 send 1 8B\n1 recv 0 8B\n0 compute 5s\n"
         "0 compute 2500ms\n1 compute 2500ms\n0 send 1 8B\n1 send 0 8B\n0 recv 1 8B\n1 recv 0 8B\n" +
             all(2, "end"),
         {.latency = 5'000'000 * story::us});
  const Row row = rows("intervals", {"--at", "5s"}).at(0);
  EXPECT_NEAR(row["communication"].get<double>(), 1.0 / 3, within);
  EXPECT_NEAR(row["transfer_least"].get<double>(), 1.0 / 3, within)
      << "each thread would take 2.5 s of 7.5 s";
  EXPECT_GE(row["transfer_most"].get<double>(), row["transfer_least"].get<double>());
}

// One value for the whole recording. The metrics are in percent.
TEST_F(EfficiencyCommand, MetricsHaveTheSameValues) {
  record(3, program_of(3, "0 compute 300ms\n1 compute 200ms\n2 compute 100ms\n" + all(3, "barrier"), 10),
         {.latency = 10'000 * story::us});
  const std::vector<std::string> words{"measure",
                                       file(),
                                       "Load_balance",
                                       "Parallel_efficiency",
                                       "Communication_efficiency",
                                       "--interval",
                                       "100s",
                                       "--format",
                                       "json",
                                       "--quiet"};
  const ProgramCall call = testing_commands::call_program({measure_command({})}, words);
  ASSERT_EQ(call.status, exit_fine) << call.err;
  std::map<std::string, double> measured;
  for (const Row& line : testing_commands::objects_in(call.out))
    if (!line["value"].is_null()) measured[line["metric"]] = line["value"].get<double>() / 100;
  const Row row = whole();
  EXPECT_NEAR(measured["Load_balance"], row["load_balance"].get<double>(), 1e-3) << call.out;
  EXPECT_NEAR(measured["Parallel_efficiency"], row["parallel"].get<double>(), 1e-3);
  EXPECT_NEAR(measured["Communication_efficiency"], row["communication"].get<double>(), 1e-3);
  EXPECT_NEAR(measured["Load_balance"], 2.0 / 3, 1e-2);
}

TEST_F(EfficiencyCommand, EvidenceIsOfThePartThatWasAsked) {
  record(2, program_of(2, "0 compute 1s\n1 compute 2s\n" + all(2, "barrier"), 4));
  const auto waited = [this](std::vector<std::string> more) {
    for (const Row& row : rows("threads", std::move(more)))
      if (row["thread"] == "t0") return row["waited_s"].get<double>();
    return 0.0;
  };
  EXPECT_NEAR(waited({}), 4, 0.01);
  EXPECT_NEAR(waited({"--at", "4s"}), 2, 0.01);
}

TEST_F(EfficiencyCommand, IsATableInCsv) {
  record(2, program_of(2, all(2, "compute 1s"), 1));
  const ProgramCall call = efficiency({"--format", "csv"});
  EXPECT_EQ(call.status, exit_fine);
  EXPECT_THAT(call.out,
              StartsWith("interval,threads,length_s,parallel,load_balance,communication,"
                         "serialisation_least,serialisation_most,transfer_least,transfer_most\nall,2,"));
}

TEST_F(EfficiencyCommand, TextHasTheAnswerTheEvidenceAndHowSureItIs) {
  record(2, program_of(2, "0 compute 1s\n1 compute 2s\n" + all(2, "barrier"), 1));
  EXPECT_THAT(
      efficiency().out,
      AllOf(HasSubstr("    transfer "), HasSubstr("useful time, the threads that differ most from the mean:"),
            HasSubstr("how sure:\n- serialisation and transfer: the recorded program was simulated")));
}

// --- bad input -----------------------------------------------------------------------------------------

TEST_F(EfficiencyCommand, ASingleThreadIsSaid) {
  record(1, program_of(1, "0 compute 1s\n0 barrier\n", 3));
  EXPECT_THAT(answer()["text"].get<std::string>(), HasSubstr("of a single thread"));
}

TEST_F(EfficiencyCommand, ARecordingWithoutTimeHasNoEfficiency) {
  record(2, all(2, "barrier") + all(2, "end"));
  const ProgramCall call = efficiency();
  EXPECT_EQ(call.status, exit_usage);
  EXPECT_EQ(call.out, "");
  EXPECT_THAT(call.err, HasSubstr("has no efficiency"));
}

TEST_F(EfficiencyCommand, IterationsNeedAProbe) {
  record(2, program_of(2, all(2, "compute 1s"), 1));
  const ProgramCall call = efficiency({"--by", "iteration"});
  EXPECT_EQ(call.status, exit_usage);
  EXPECT_THAT(call.err, HasSubstr("no thread passed the probe 'iteration_end' twice"));
  EXPECT_THAT(efficiency({"--by", "region", "--every", "1s"}).err, HasSubstr("cannot be combined"));
}

TEST_F(EfficiencyCommand, OtherFilesAreRefused) {
  std::ofstream(file()) << "nothing";
  EXPECT_NE(efficiency().status, exit_fine);
}

}  // namespace
}  // namespace eventspace
