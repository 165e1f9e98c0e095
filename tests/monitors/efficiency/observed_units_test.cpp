// From views of MPI jobs to units, their times, and the answer.
#include "monitors/efficiency/observed_units.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "collectors/mpi/mpi_record.h"
#include "collectors/pvm/pvm_calls.h"
#include "monitors/efficiency/efficiency_answer.h"
#include "tests/monitors/mpi/job_view.h"
#include "tests/monitors/whatif/simulation/program_story.h"

namespace eventspace::efficiency {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using test::JobView;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class ObservedJob : public testing::Test {
 protected:
  JobView job{4};
  View nothing;  // of newest events

  ObservedJob() { at(10s); }
  // When the view is made. The processes use the reader's clock.
  void at(nanoseconds now) {
    job.at(now);
    for (ProcessReport& report : job.view.processes) report.now_monotonic_ns = now.count();
  }
  static MpiCallRecord call(const std::string& name, MpiClass of = MpiClass::manage) {
    return JobView::call(name, of);
  }
  void barrier(std::uint32_t rank, std::uint32_t number, nanoseconds begin, nanoseconds end) {
    job.add(rank, JobView::collective("MPI_Barrier", number), begin, end);
  }
  void init(nanoseconds end = 1s) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) job.add(rank, call("MPI_Init"), 100ms, end);
  }
  void finalize(nanoseconds begin, nanoseconds end) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) job.add(rank, call("MPI_Finalize"), begin, end);
  }
  void mark(std::uint32_t rank, std::uint64_t iteration, nanoseconds at) {
    job.names.probes[77] = "iteration_end";
    job.add_record(rank, at, at,
                   {record_words::kind(probe_kind, 0) | static_cast<std::uint64_t>(ProbeVerb::point) << 12 |
                        std::uint64_t{77} << 32,
                    0, 0, iteration});
  }
  // Rank 3 computes for 400 ms and the others for 100 ms in each of 10 steps, from 1 s to 5 s.
  void imbalance() {
    for (std::uint32_t step = 0; step < 10; ++step) {
      const nanoseconds begin = 1s + step * 400ms;
      for (std::uint32_t rank = 0; rank < 4; ++rank)
        barrier(rank, step + 1, begin + (rank == 3 ? 400ms : 100ms), begin + 400ms);
    }
  }
  void end_processes() {
    for (ProcessReport& report : job.view.processes) report.state = RunState::ended;
  }
  EfficiencyReport report(const ObservedUnits::Settings& settings = {}, By by = By::none) {
    ObservedUnits units(nullptr, job.names, settings, nullptr);
    units.see(nothing);
    units.add(job.view);
    units.finish(nothing);
    return report_efficiency(units, nullptr, by, settings.every.value_or(0ns).count());
  }
  static Factors factors(const IntervalRow& row) { return std::get<Factors>(row.factors); }
};

TEST_F(ObservedJob, AnImbalancedJobHasTheFactorsOfItsClosedForm) {
  init();
  imbalance();
  finalize(5s, 6s);
  end_processes();
  const EfficiencyReport made = report();
  const Factors of = factors(made.whole);
  EXPECT_EQ(made.whole.units, 4U);
  EXPECT_NEAR(made.whole.times.length, 4e9, 1e3) << "from the end of MPI_Init to the begin of MPI_Finalize";
  EXPECT_NEAR(of.load_balance, 1.75 / 4, 1e-6);
  EXPECT_NEAR(of.communication, 1, 1e-6);
  EXPECT_NEAR(of.parallel, 1.75 / 4, 1e-6);
  EXPECT_NEAR(of.serialisation.least, 1, 1e-6);
  const Answer answer = answer_of(made);
  EXPECT_EQ(answer.limit, Limit::load_balance);
  EXPECT_EQ(answer.by, "rank 3");
  EXPECT_EQ(
      answer.text,
      "parallel efficiency 44 %: limited by load balance (44 %): rank 3 computes 2.2s longer than the mean");
}

// In each step another rank computes 400 ms: all have the same useful time, and wait for one another.
TEST_F(ObservedJob, AlternatingImbalanceIsSerialisation) {
  init();
  for (std::uint32_t step = 0; step < 8; ++step) {
    const nanoseconds begin = 1s + step * 400ms;
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      barrier(rank, step + 1, begin + (rank == step % 4 ? 400ms : 100ms), begin + 400ms);
  }
  finalize(4200ms, 5s);
  end_processes();
  const EfficiencyReport made = report();
  const Factors of = factors(made.whole);
  EXPECT_NEAR(of.load_balance, 1, 1e-6);
  EXPECT_NEAR(of.serialisation.least, 1.4 / 3.2, 1e-6);
  EXPECT_NEAR(of.serialisation.most, 1.4 / 3.2, 1e-6);
  EXPECT_NEAR(of.transfer.least, 1, 1e-6);
  EXPECT_EQ(answer_of(made).limit, Limit::serialisation);
  EXPECT_THAT(answer_of(made).text, HasSubstr("the others wait 1.8s for rank "));
}

// All come at the same time, and leave 100 ms later.
TEST_F(ObservedJob, TimeAfterTheLastHasComeIsTransfer) {
  init();
  for (std::uint32_t step = 0; step < 10; ++step)
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      barrier(rank, step + 1, 1s + step * 400ms + 300ms, 1s + step * 400ms + 400ms);
  finalize(5s, 6s);
  end_processes();
  const EfficiencyReport made = report();
  EXPECT_NEAR(factors(made.whole).transfer.most, 0.75, 1e-6);
  EXPECT_NEAR(factors(made.whole).transfer.least, 0.75, 1e-6);
  EXPECT_EQ(answer_of(made).text,
            "parallel efficiency 75 %: limited by transfer (75 %): 4.0s in MPI_Barrier, at most 4.0s of it "
            "transfer");
  ASSERT_THAT(made.sites, SizeIs(1));
  EXPECT_EQ(made.sites[0].calls, 40U);
}

TEST_F(ObservedJob, MessagesOfUnknownSendersLeaveARange) {
  init();
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    job.add(rank, JobView::message("MPI_Recv", MpiClass::receive, (rank + 1) % 4), 2s, 4s);
    job.add(rank, JobView::message("MPI_Send", MpiClass::send, (rank + 1) % 4), 5s, 5500ms);
  }
  finalize(6s, 7s);
  end_processes();
  const EfficiencyReport made = report();
  const Factors of = factors(made.whole);
  EXPECT_NEAR(of.communication, 0.5, 1e-6);
  EXPECT_NEAR(of.transfer.least, 0.5, 1e-6);
  EXPECT_NEAR(of.transfer.most, 0.9, 1e-6) << "a send does not wait";
  EXPECT_EQ(answer_of(made).limit, Limit::communication);
  EXPECT_THAT(answer_of(made).text,
              HasSubstr("communication (50 %, as serialisation or transfer): 8.0s in MPI_Recv"));
  EXPECT_THAT(answer_of(made).text, Not(HasSubstr("of it transfer"))) << "four calls may all have waited";
  EXPECT_EQ(made.sites.at(0).transfer, std::nullopt);
  EXPECT_THAT(confidence_of(made), Contains(HasSubstr("4 calls may have waited for others")));
}

// --- observation from the middle -----------------------------------------------------------------------

TEST_F(ObservedJob, FromTheMiddleOnlyTheObservedTimeCounts) {
  init();
  imbalance();
  at(4s);
  std::erase_if(job.view.records.whole(),
                [](const TraceTuple& record) { return record.words[4] > 4'000'000'000; });
  const EfficiencyReport made = report({.begin_ns = 2'000'000'000, .origin_ns = 2'000'000'000});
  EXPECT_NEAR(made.whole.times.length, 2e9, 1e3);
  const Factors of = factors(made.whole);
  // The last 200 ms of the 2 s are of a step whose barriers are not recorded yet.
  EXPECT_NEAR(of.load_balance, (3 * 0.7 + 2) / 4 / 2, 0.05);
  EXPECT_EQ(answer_of(made).by, "rank 3");
}

TEST_F(ObservedJob, ACallInFlightAtTheEndIsNotUseful) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) barrier(rank, 1, 1s, 2s);
  JobView later{4};
  later.names.members = job.names.members;
  later.add(0, JobView::collective("MPI_Barrier", 2), 3s);
  at(6s);
  later.view.processes = job.view.processes;
  ObservedUnits units(nullptr, job.names, {.begin_ns = 2'000'000'000}, nullptr);
  units.add(job.view);
  units.finish(later.view);
  const auto times = units.times().units();
  ASSERT_THAT(times, SizeIs(2));
  EXPECT_EQ(times[0].useful(), 1'000'000'000);
  EXPECT_EQ(times[0].length(), 4'000'000'000);
  EXPECT_EQ(times[1].useful(), 4'000'000'000);
}

TEST_F(ObservedJob, AThreadWithoutAnEventInTheIntervalIsUseful) {
  barrier(0, 1, 1s, 1500ms);
  barrier(1, 1, 1s, 1500ms);
  barrier(0, 2, 3s, 4s);
  at(5s);
  ObservedUnits units(nullptr, job.names, {.begin_ns = 2'000'000'000}, nullptr);
  units.see(job.view);
  units.add(job.view);
  units.finish(nothing);
  const auto times = units.times().units();
  ASSERT_THAT(times, SizeIs(2));
  EXPECT_EQ(times[0].useful(), 2'000'000'000);
  EXPECT_EQ(times[1].useful(), 3'000'000'000) << "it computes all the time";
}

// --- with a simulation of only a part of the run -------------------------------------------------------

/// The first `ranks` of the job are simulated.
class SimulatedJob : public ObservedJob {
 protected:
  static constexpr std::int64_t second = 1'000'000'000;

  /// They compute from 1 s to 3 s, meet in a barrier, and compute from 4 s to 5 s.
  static IdealRun ideal(std::size_t ranks, std::optional<whatif::Picoseconds> cut = {}) {
    std::string lines;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      lines += fmt::format("{0} compute 2s\n{0} barrier\n{0} compute 1s\n{0} end\n", rank);
    whatif::RecordedProgram recorded{.program = whatif::story::program(ranks, lines)};
    for (const auto& task : recorded.program.tasks) {
      std::vector<whatif::ActionTime> times{
          {second, 3 * second}, {3 * second, 4 * second}, {4 * second, 5 * second}};
      times.resize(task.actions.size(), times.back());
      recorded.times.push_back(std::move(times));
    }
    const auto outcome = whatif::story::outcome(recorded.program, whatif::story::loggp({}),
                                                {.overhead = 0, .traces = true, .times = true});
    if (cut) recorded.program.cut = whatif::ProgramCut{.at = *cut, .reason = "records are missing"};
    return IdealRun(recorded, outcome);
  }
  EfficiencyReport simulated_report(const IdealRun& ideal, By by = By::none) {
    init();
    job.names.probes[5] = "solve";
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      barrier(rank, 1, 3s, 4s);
      job.region(rank, 5, 2s, 4500ms);
    }
    finalize(5s, 6s);
    end_processes();
    ObservedUnits units(nullptr, job.names, {.origin_ns = second, .every = 2s}, &ideal);
    units.add(job.view);
    units.finish(nothing);
    return report_efficiency(units, &ideal, by, 2 * second);
  }
  static bool is_exact(const IntervalRow& row) {
    return factors(row).transfer.is_exact() && factors(row).serialisation.is_exact();
  }
};

TEST_F(SimulatedJob, OfTheWholeRunIsExact) {
  const EfficiencyReport made = simulated_report(ideal(4), By::time);
  EXPECT_TRUE(is_exact(made.whole));
  EXPECT_NEAR(factors(made.whole).transfer.most, 0.75, 1e-6);
  ASSERT_THAT(made.parts, SizeIs(2));
  for (const IntervalRow& row : made.parts) EXPECT_TRUE(is_exact(row));
  EXPECT_THAT(confidence_of(made), Not(Contains(HasSubstr("not part of the simulation"))));
}

TEST_F(SimulatedJob, ARankThatWasNotSimulatedLeavesARange) {
  const EfficiencyReport made = simulated_report(ideal(3), By::region);
  EXPECT_NEAR(factors(made.whole).transfer.least, 0.75, 1e-6);
  EXPECT_NEAR(factors(made.whole).transfer.most, 1, 1e-6) << "the others may wait for it";
  for (const IntervalRow& row : made.parts) EXPECT_FALSE(is_exact(row)) << row.name;
  EXPECT_THAT(confidence_of(made), Contains(HasSubstr("1 thread is not part of the simulation")));
}

TEST_F(SimulatedJob, PartsAfterTheEndOfTheSimulationAreRanges) {
  const IdealRun cut = ideal(4, 2'500 * whatif::Picoseconds{1'000'000'000});  // until 3.5 s
  const EfficiencyReport made = simulated_report(cut, By::time);
  EXPECT_FALSE(is_exact(made.whole));
  ASSERT_THAT(made.parts, SizeIs(2));
  EXPECT_TRUE(is_exact(made.parts[0])) << "from 1 s to 3 s";
  EXPECT_FALSE(is_exact(made.parts[1]));
}

TEST_F(SimulatedJob, RegionsAfterTheEndOfTheSimulationAreRanges) {
  const IdealRun cut = ideal(4, 2'500 * whatif::Picoseconds{1'000'000'000});
  for (const IntervalRow& row : simulated_report(cut, By::region).parts)
    EXPECT_FALSE(is_exact(row)) << row.name;
}

TEST_F(SimulatedJob, TheSimulationIsNotUsedIfCallsWereNotRecorded) {
  job.view.processes[1].collecting.period = 10;
  const EfficiencyReport made = simulated_report(ideal(4), By::time);
  EXPECT_FALSE(made.confidence.is_simulated);
  EXPECT_EQ(answer_of(made).limit, Limit::unknown);
  for (const IntervalRow& row : made.parts) EXPECT_EQ(row.times.ideal.least, 0);
}

// --- parts ---------------------------------------------------------------------------------------------

TEST_F(ObservedJob, RegionsHaveEfficienciesAndTheWorstOneIsNamed) {
  init();
  imbalance();
  job.names.probes[5] = "solve";
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    for (std::uint32_t step = 0; step < 10; ++step)
      job.region(rank, 5, 1s + step * 400ms, 1s + step * 400ms + (rank == 3 ? 400ms : 100ms));
  finalize(5s, 6s);
  end_processes();
  const EfficiencyReport made = report({}, By::region);
  ASSERT_THAT(made.parts, SizeIs(2));
  EXPECT_EQ(made.parts[0].name, "solve");
  EXPECT_NEAR(factors(made.parts[0]).load_balance, 1.75 / 4, 1e-3);
  EXPECT_NEAR(factors(made.parts[0]).communication, 1, 1e-3);
  EXPECT_THAT(answer_of(made).text, HasSubstr("most of it in region solve"));
}

TEST_F(ObservedJob, IterationsAndSpansHaveEfficiencies) {
  init();
  imbalance();
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    for (std::uint32_t step = 0; step < 10; ++step) mark(rank, step, 1s + (step + 1) * 400ms);
  finalize(5s, 6s);
  end_processes();
  const EfficiencyReport made = report({.iteration_end = "iteration_end"}, By::iteration);
  ASSERT_THAT(made.parts, SizeIs(9));
  EXPECT_EQ(made.parts[0].name, "1");
  for (const IntervalRow& row : made.parts) EXPECT_NEAR(factors(row).load_balance, 1.75 / 4, 1e-3);
  const EfficiencyReport curve = report({.origin_ns = 1'000'000'000, .every = 800ms}, By::time);
  ASSERT_THAT(curve.parts, SizeIs(5));
  EXPECT_EQ(curve.parts[1].begin_s, 0.8);
  for (const IntervalRow& row : curve.parts) EXPECT_NEAR(factors(row).load_balance, 1.75 / 4, 1e-3);
}

TEST_F(ObservedJob, ProbesAreNamedIfNoneEndsAnIteration) {
  init();
  mark(0, 1, 2s);
  finalize(5s, 6s);
  ObservedUnits units(nullptr, job.names, {.iteration_end = "step"}, nullptr);
  units.add(job.view);
  units.finish(nothing);
  EXPECT_THAT(units.times().iterations(), IsEmpty());
  EXPECT_THAT(units.probes(), ElementsAre("iteration_end"));
}

// --- bad input -----------------------------------------------------------------------------------------

TEST_F(ObservedJob, OneRankOnlyIsBalanced) {
  JobView one{1};
  one.add(0, call("MPI_Init"), 100ms, 1s);
  one.add(0, JobView::collective("MPI_Barrier", 1), 2s, 2500ms);
  one.add(0, call("MPI_Finalize"), 3s, 4s);
  for (ProcessReport& report : one.view.processes) report.state = RunState::ended;
  job = one;
  at(10s);
  const EfficiencyReport made = report();
  EXPECT_EQ(answer_of(made).text,
            "parallel efficiency 75 % of a single thread: limited by transfer (75 %): 500ms in MPI_Barrier");
  EXPECT_EQ(factors(made.whole).load_balance, 1);
}

TEST_F(ObservedJob, WithoutCommunicationAllTimeIsUseful) {
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.region(rank, 5, 1s, rank == 2 ? 5s : 3s);
  end_processes();
  const EfficiencyReport made = report();
  EXPECT_NEAR(factors(made.whole).communication, 1, 1e-6);
  EXPECT_NEAR(factors(made.whole).load_balance, 2.5 / 4, 1e-6);
  EXPECT_THAT(confidence_of(made), Contains(HasSubstr("no communication was recorded")));
}

TEST_F(ObservedJob, WithoutEventsOrTimeThereIsAReason) {
  EXPECT_EQ(std::get<NoFactors>(report().whole.factors), NoFactors::no_units);
  barrier(0, 1, 2s, 2s);
  end_processes();
  EXPECT_EQ(std::get<NoFactors>(report().whole.factors), NoFactors::no_length);
}

TEST_F(ObservedJob, GapsAreToldAndTheBoundsHold) {
  init();
  imbalance();
  finalize(5s, 6s);
  end_processes();
  // Rank 1 has lost the records of three steps.
  std::erase_if(job.view.records.whole(), [](const TraceTuple& record) {
    return header_of(record).thread == JobView::thread(1) && record.words[0] >= 4 && record.words[0] < 7;
  });
  const EfficiencyReport made = report();
  EXPECT_EQ(made.confidence.gap_records, 3U);
  EXPECT_NEAR(made.confidence.gap_ns, 1300e6, 1e3);
  EXPECT_THAT(confidence_of(made), Contains(AllOf(HasSubstr("3 records were lost"), HasSubstr("1.3s"))));
  const Factors of = factors(made.whole);
  EXPECT_LE(of.serialisation.least, 1);
  EXPECT_NEAR(of.serialisation.most, 1, 1e-6);
  EXPECT_EQ(answer_of(made).by, "rank 3");
}

TEST_F(ObservedJob, OneLostRecordIsSaidInTheSingular) {
  init();
  imbalance();
  finalize(5s, 6s);
  end_processes();
  std::erase_if(job.view.records.whole(), [](const TraceTuple& record) {
    return header_of(record).thread == JobView::thread(1) && record.words[0] == 4;
  });
  EXPECT_THAT(confidence_of(report()), Contains(HasSubstr("1 record was lost")));
}

// Nine in ten of the barriers are not recorded, and the records have consecutive numbers.
TEST_F(ObservedJob, CallsThatAreNotRecordedMakeTheEfficiencyAnUpperBound) {
  init();
  for (std::uint32_t rank = 0; rank < 4; ++rank) barrier(rank, 10, 4s, 4500ms);
  finalize(5s, 6s);
  end_processes();
  EXPECT_EQ(report().confidence.thinned, 0U);
  for (const std::size_t process : {0, 2})
    job.view.processes[process].collecting.exceptions = {{{mpi_kind}, 10}};
  const EfficiencyReport made = report();
  EXPECT_EQ(made.confidence.thinned, 2U);
  EXPECT_EQ(made.confidence.gap_records, 0U);
  EXPECT_EQ(answer_of(made).limit, Limit::unknown);
  EXPECT_EQ(answer_of(made).text, "parallel efficiency at most 88 %: 2 processes did not record all calls");
  EXPECT_EQ(answer_of(made).by, "");
  EXPECT_THAT(confidence_of(made), Contains(HasSubstr("2 processes did not record all calls at times")));
  EXPECT_LT(factors(made.whole).transfer.least, factors(made.whole).transfer.most);
}

TEST_F(ObservedJob, RecordsOfCallsInsideCallsOfPvmAreNoGap) {
  const auto pvm = [](const char* name, PvmClass of, std::uint8_t marks = 0) {
    PvmCallRecord made;
    made.call = number_of_pvm_call(name);
    made.of = of;
    made.marks = marks;
    return made;
  };
  const auto add = [&](const PvmCallRecord& call, nanoseconds begin, nanoseconds end) {
    job.add_record(0, begin, end, {call.word3(0), call.word5(), call.word6(), call.word7()});
  };
  for (int i = 0; i < 5; ++i) {
    const nanoseconds begin = 1s + i * 100ms;
    add(pvm("pvm_recv", PvmClass::receive, static_cast<std::uint8_t>(PvmMarks::nested)), begin, begin + 30ms);
    add(pvm("pvm_barrier", PvmClass::group), begin, begin + 50ms);
  }
  end_processes();
  const EfficiencyReport made = report();
  EXPECT_EQ(made.calls, 5U);
  EXPECT_EQ(made.confidence.gap_records, 0U);
}

TEST_F(ObservedJob, AMemberThatIsNoneOfTheCommunicatorDoesNotMeet) {
  job.names.members[JobView::world] = "0-2";
  CallWaits waits(nullptr, job.names);
  for (std::uint32_t rank = 0; rank < 4; ++rank) barrier(rank, 1, 1s, 2s);
  const auto& records = job.view.records.whole();
  const auto kind_of = [&](std::size_t rank) {
    return waits.of({&records[rank], 1}, job.view.processes[rank]).kind;
  };
  EXPECT_EQ(kind_of(0), IdealClocks::Waits::for_all);
  EXPECT_EQ(kind_of(3), IdealClocks::Waits::unknown);
  const EfficiencyReport made = report();
  EXPECT_LE(made.whole.times.ideal.least, made.whole.times.ideal.most);
}

TEST_F(ObservedJob, ForgedTimesGiveNumbers) {
  init();
  imbalance();
  mark(0, 1, 2s);
  mark(1, 1, 2s);
  finalize(5s, 6s);
  end_processes();
  auto& records = job.view.records.whole();
  records[5].words[4] = ~std::uint64_t{0};
  records[6].words[1] = ~std::uint64_t{0};
  records[9].words[4] = std::uint64_t{1} << 63;
  records[13].words[1] = records[13].words[4] = (std::uint64_t{1} << 63) - 1;
  records[45].words[1] = records[45].words[4] = std::uint64_t{1} << 63;
  for (ProcessReport& process : job.view.processes) process.now_ticks = ~std::uint64_t{0};
  const EfficiencyReport made = report({.every = 1s, .iteration_end = "iteration_end"}, By::iteration);
  EXPECT_GE(made.whole.times.length, 0);
  for (const UnitRow& unit : made.units) EXPECT_GE(unit.useful, 0) << unit.name;
  EXPECT_GE(made.confidence.gap_ns, 0);
}

TEST_F(ObservedJob, MarksOfThreadsThatDoNotCommunicateAreBounded) {
  init();
  imbalance();
  finalize(5s, 6s);
  end_processes();
  ObservedUnits units(nullptr, job.names, {.iteration_end = "iteration_end"}, nullptr);
  units.add(job.view);
  JobView workers{5};  // rank 4 makes no call
  workers.names.probes[77] = "iteration_end";
  job.names.probes[77] = "iteration_end";
  job.names.processes[5] = "app.4";
  constexpr std::uint64_t more = 100;
  for (std::uint64_t i = 0; i < ObservedUnits::max_early_marks + more; ++i) {
    const nanoseconds at = 1s + i * 1us;
    workers.add_record(4, at, at,
                       {record_words::kind(probe_kind, 0) |
                            static_cast<std::uint64_t>(ProbeVerb::point) << 12 | std::uint64_t{77} << 32,
                        0, 0, i});
  }
  units.add(workers.view);
  EXPECT_EQ(units.left_out(), 0U) << "it may never be a unit";
  JobView later = workers;
  later.view.records.whole().clear();
  later.add(4, JobView::collective("MPI_Barrier", 1), 5s, 6s);
  units.add(later.view);
  units.finish(nothing);
  EXPECT_EQ(units.left_out(), more);
}

TEST_F(ObservedJob, ARankWhoseFirstKnownCallIsTheLastFillsNoTable) {
  finalize(5s, 6s);
  end_processes();
  EXPECT_EQ(report().confidence.left_out, 0U);
}

TEST_F(ObservedJob, NoThreadIsNamedWhenTheClocksErrAsMuchAsTheWaits) {
  init();
  for (std::uint32_t step = 0; step < 8; ++step)
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      barrier(rank, step + 1, 1s + step * 400ms + (rank == step % 4 ? 400ms : 100ms),
              1s + (step + 1) * 400ms);
  finalize(4200ms, 5s);
  end_processes();
  EfficiencyReport made = report();
  EXPECT_THAT(answer_of(made).by, StartsWith("rank "));
  made.confidence.clock_error_ns = 1'000'000'000;
  EXPECT_EQ(answer_of(made).limit, Limit::indistinguishable);
  EXPECT_EQ(answer_of(made).by, "");
  EXPECT_THAT(answer_of(made).text, HasSubstr("the error of the clocks"));
  made.confidence.clock_error_ns.reset();
  EXPECT_EQ(answer_of(made).limit, Limit::indistinguishable);
  EXPECT_THAT(confidence_of(made), Contains(HasSubstr("cannot be compared")));
  made.confidence.clock_error_ns = 600'000'000;  // less than all waits, more than the waits for one rank
  EXPECT_EQ(answer_of(made).limit, Limit::serialisation);
  EXPECT_EQ(answer_of(made).by, "");
}

TEST_F(ObservedJob, ABalancedJobIsLimitedByNothing) {
  init();
  for (std::uint32_t rank = 0; rank < 4; ++rank) barrier(rank, 1, 3s, 3001ms);
  finalize(4s, 5s);
  end_processes();
  const Answer answer = answer_of(report());
  EXPECT_EQ(answer.limit, Limit::nothing);
  EXPECT_THAT(answer.text, HasSubstr("nothing limits it"));
  EXPECT_THAT(answer.text, Not(HasSubstr("rank")));
}

}  // namespace
}  // namespace eventspace::efficiency
