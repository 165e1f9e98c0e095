#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/metric_library.h"
#include "tests/lines.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_commands::call_program;

class MetricsCommand : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  test::TemporaryDirectory directory_;
};

TEST_F(MetricsCommand, ListsTheMetricsThatComeWithEventSpaceAndTheBuiltInOnes) {
  const auto call = call_program({"metrics", "--format", "csv"});
  EXPECT_EQ(call.status, 0);
  EXPECT_THAT(test::lines_of(call.out), SizeIs(1 + metrics::MetricLibrary::shipped().metrics().size() +
                                               metrics::built_in_metrics().size()));
  EXPECT_THAT(call.out, AllOf(HasSubstr("\nIteration_time,library,"), HasSubstr("\nSend_volume,built in,")));
}

TEST_F(MetricsCommand, ListsTheMetricsOfAFileWithTheirComments) {
  const auto call = call_program(
      {"metrics", file("my.pmsl",
                       "// Twice\n// as many.\nTwice(Process p, TimeInterval t): Unit(\"iterations\") "
                       "{ RETURN 2 * Loop_Counter(p, t); }")});
  EXPECT_EQ(call.status, 0);
  EXPECT_THAT(call.out,
              AllOf(HasSubstr("Twice   file  Process p, TimeInterval t  iterations  Twice as many."),
                    Not(HasSubstr("Iteration_time"))));
}

TEST_F(MetricsCommand, AFileUsesTheMetricsOfTheFileBeforeIt) {
  const std::string first = file("first.pmsl", "One(TimePoint t) { RETURN 1; }");
  const std::string second = file("second.pmsl", "Two(TimePoint t) { RETURN 2 * One(t); }");
  EXPECT_EQ(call_program({"metrics", first, second}).status, 0);
  EXPECT_THAT(call_program({"metrics", second, first}).err,
              HasSubstr("second.pmsl:1:31: unknown metric 'One'"));
}

TEST_F(MetricsCommand, WritesEachFaultWithItsFileLineAndColumn) {
  const std::string faulty = file("faulty.pmsl", "M(TimePoint t) {\n  Value x = 1 +;\n  RETURN x\n}\n");
  const auto call = call_program({"metrics", faulty});
  EXPECT_EQ(call.status, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_EQ(call.err, faulty + ":2:16: found ';'; expected a value, a variable, a metric or '('\n" + faulty +
                          ":4:1: found '}'; expected ';' at the end of the statement\n");
}

TEST_F(MetricsCommand, PrintsTheDefinitionOfAMetric) {
  const auto call = call_program({"metrics", "--source", "Barrier_share"});
  EXPECT_EQ(call.status, 0);
  EXPECT_THAT(call.out, AllOf(HasSubstr("Barrier_share(Process p, TimeInterval time)"), HasSubstr("RETURN")));
  EXPECT_THAT(call_program({"metrics", "--source", "Barrier_shar"}).err,
              HasSubstr("there is no such metric; did you mean 'Barrier_share'?"));
  EXPECT_THAT(call_program({"metrics", "--source", "Send_volume"}).err, HasSubstr("built in"));
}

TEST_F(MetricsCommand, SaysWhatCannotBeRead) {
  const auto missing = call_program({"metrics", "nothing.pmsl"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("cannot read nothing.pmsl: No such file or directory"));
  EXPECT_THAT(call_program({"metrics", directory_.path().string()}).err, HasSubstr("is a directory"));
}

TEST_F(MetricsCommand, ABinaryFileHasAFaultThatATerminalCanShow) {
  const auto call = call_program({"metrics", file("binary.pmsl", std::string("\x7f"
                                                                             "ELF\0\x1b[2J",
                                                                             9))});
  EXPECT_EQ(call.status, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("binary.pmsl:1:1: found byte 0x7f"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace eventspace
