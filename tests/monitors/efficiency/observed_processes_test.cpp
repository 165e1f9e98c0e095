// What views report of processes, and the records that are missing.
#include "monitors/efficiency/observed_processes.h"

#include <gtest/gtest.h>

#include <limits>

#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "monitors/efficiency/bounded_time.h"
#include "monitors/efficiency/record_gaps.h"

namespace eventspace::efficiency {
namespace {

/// Process 2 is on another node.
class TwoNodes final : public PlanNames {
 public:
  [[nodiscard]] std::string_view thread_name(std::uint32_t) const override { return "t"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t) const override { return "p"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t) const override { return "p"; }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t process) const override {
    return process == 2 ? "n2" : "n1";
  }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t, std::uint16_t) const override {
    return std::nullopt;
  }
};

class ObservedProcessesTest : public testing::Test {
 protected:
  static View view_of(std::vector<ProcessReport> reports) {
    View view;
    view.processes = std::move(reports);
    return view;
  }
  static ProcessReport report(std::uint32_t process, std::int64_t now_ns,
                              RunState state = RunState::running) {
    ProcessReport made;
    made.process = process;
    made.pid = 100;
    made.state = state;
    made.now_ticks = static_cast<std::uint64_t>(now_ns);
    made.now_monotonic_ns = now_ns;
    made.now_error_ns = 7;
    return made;
  }

  TwoNodes names;
  ObservedProcesses processes{names};
};

TEST_F(ObservedProcessesTest, AreKnownUntilTheirEventsWereRead) {
  ProcessReport second = report(1, 900);
  second.complete_ticks = 700;
  processes.add(view_of({report(0, 800), second}));
  EXPECT_EQ(processes.all_known_until(), 700);
  EXPECT_EQ(processes.find(0)->until_ns, 800);
  EXPECT_EQ(processes.find(3), nullptr);
  EXPECT_FALSE(processes.have_ended());
  processes.add(view_of({report(1, 950, RunState::ended)}));
  EXPECT_EQ(processes.all_known_until(), 800);
  processes.add(view_of({report(0, 990, RunState::dead)}));
  EXPECT_TRUE(processes.have_ended());
  EXPECT_EQ(processes.all_known_until(), std::nullopt);
}

TEST_F(ObservedProcessesTest, OnlyTimesOfSeveralNodesHaveAnError) {
  processes.add(view_of({report(0, 800), report(1, 800)}));
  EXPECT_EQ(processes.clock_error_ns(), 0);
  processes.add(view_of({report(2, 800)}));
  ASSERT_TRUE(processes.clock_error_ns());
  EXPECT_GE(*processes.clock_error_ns(), 7);
}

TEST_F(ObservedProcessesTest, AnotherRunOfAProcessIsARestart) {
  ProcessReport again = report(0, 900);
  again.pid = 101;
  processes.add(view_of({report(0, 800)}));
  EXPECT_EQ(processes.restarts(), 0U);
  processes.add(view_of({again}));
  processes.add(view_of({again}));
  EXPECT_EQ(processes.restarts(), 1U);
}

TEST_F(ObservedProcessesTest, ProcessesThatDoNotRecordAllCallsAreCounted) {
  ProcessReport probes = report(0, 800);
  probes.collecting.exceptions = {{{.kind = probe_kind}, 0}};
  processes.add(view_of({probes, report(1, 800)}));
  EXPECT_EQ(processes.thinned(), 0U);
  ProcessReport some = report(1, 900);
  some.collecting.exceptions = {{{.kind = mpi_kind}, 10}};
  ProcessReport switched_off = report(2, 900);
  switched_off.collecting.by_program = false;
  processes.add(view_of({some, switched_off}));
  processes.add(view_of({report(1, 950), switched_off}));
  EXPECT_EQ(processes.thinned(), 2U) << "also after the process records all again";
}

TEST_F(ObservedProcessesTest, TimesOfForgedTicksAreLimited) {
  ProcessReport forged = report(0, std::numeric_limits<std::int64_t>::max());
  forged.state = RunState::running;
  processes.add(view_of({forged}));
  EXPECT_LE(*processes.all_known_until(), max_time_ns);
  EXPECT_EQ(bounded_ns(std::numeric_limits<std::int64_t>::min()), -max_time_ns);
}

TEST(RecordGaps, TheTimeOfManyGapsDoesNotOverflow) {
  RecordGaps gaps;
  RecordHeader header;
  for (std::uint32_t process = 0; process < 9; ++process) {
    header.sequence = 1;
    gaps.add(header, process, -max_time_ns, -max_time_ns, true);
    header.sequence = 3;
    gaps.add(header, process, max_time_ns, max_time_ns, true);
  }
  EXPECT_EQ(gaps.records(), 9U);
  EXPECT_EQ(gaps.time_ns(), std::numeric_limits<std::int64_t>::max());
}

TEST(RecordGaps, MissingNumbersOfATraceElementAreAGap) {
  RecordGaps gaps;
  RecordHeader header;
  header.path = 4;
  const auto add = [&](std::uint64_t sequence, std::int64_t begin, std::uint8_t part = 0,
                       bool is_counted = true) {
    header.sequence = sequence;
    header.part = part;
    gaps.add(header, 1, begin, begin + 10, is_counted);
  };
  add(5, 100);  // the records before it are from before the observation
  add(6, 200);
  EXPECT_EQ(gaps.records(), 0U);
  add(9, 300);
  EXPECT_EQ(gaps.records(), 2U);
  EXPECT_EQ(gaps.time_ns(), 90);
  add(10, 400, 2);  // an event of three records
  add(13, 500);
  EXPECT_EQ(gaps.records(), 2U);
  add(20, 600, 0, false);
  EXPECT_EQ(gaps.records(), 2U);
}

}  // namespace
}  // namespace eventspace::efficiency
