#include "monitors/profile/job_profile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "collectors/event_record.h"
#include "monitors/profile/flow_bins.h"
#include "monitors/profile/matrix_picture.h"
#include "monitors/profile/profile_printer.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/metric_library.h"
#include "tests/collectors/pvm/pvm_call_named.h"
#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::JobView;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class JobProfileTest : public testing::Test {
 protected:
  JobView job{4};
  JobProfile profile{job.names};
};

TEST_F(JobProfileTest, TimeIsComputeTransferAndWaiting) {
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), 1s, 1010ms);
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), 2s, 2500ms);
  profile.add(job.view);
  const auto threads = profile.threads();
  ASSERT_THAT(threads, SizeIs(1));
  EXPECT_EQ(threads[0].name, "app.0");
  EXPECT_EQ(threads[0].span, 1500ms);
  EXPECT_EQ(threads[0].compute(), 990ms);
  EXPECT_EQ(threads[0].transfer(), 0ms);
  EXPECT_EQ(threads[0].waiting, 510ms);
  EXPECT_EQ(threads[0].late, 490ms);
}

TEST_F(JobProfileTest, CallsOfAThreadAreSummedUpIfTheyAreAskedFor) {
  JobProfile detailed(job.names, {.calls_of_threads = true});
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), 1s, 1010ms);
  job.add(1, JobView::message("MPI_Recv", MpiClass::receive, 0), 1s, 1500ms);
  job.add(1, JobView::message("MPI_Send", MpiClass::send, 0), 2s, 2100ms);
  detailed.add(job.view);
  const auto threads = detailed.threads();
  ASSERT_THAT(threads, SizeIs(2));
  EXPECT_EQ(threads[0].name, "app.1");
  const auto calls = detailed.calls_of(threads[0].number);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].call, "MPI_Recv");
  EXPECT_EQ(calls[0].time, 500ms);
  EXPECT_EQ(calls[1].call, "MPI_Send");
  EXPECT_EQ(detailed.calls()[0].time, 510ms);
  profile.add(job.view);
  EXPECT_THAT(profile.calls_of(threads[0].number), SizeIs(0));
}

TEST_F(JobProfileTest, LateTimeOfAPairIsFromTheSenderToTheReceiverWhoeverWaited) {
  JobProfile detailed(job.names, {.waits_of_pairs = true});
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), 1s, 1010ms);
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), 2s, 2500ms);
  job.add(0, JobView::message("MPI_Send", MpiClass::send, 2), 3s, 3010ms);
  job.add(0, JobView::message("MPI_Send", MpiClass::send, 2), 4s, 4110ms);
  detailed.add(job.view);
  const auto pairs = detailed.late_of_pairs();
  ASSERT_THAT(pairs, SizeIs(2));
  EXPECT_EQ(pairs[0].from + pairs[0].to, "rank 1rank 0");
  EXPECT_EQ(pairs[0].late, 490ms);
  EXPECT_EQ(pairs[1].from + pairs[1].to, "rank 0rank 2");
  EXPECT_EQ(pairs[1].late, 100ms);
}

TEST(FlowBins, NeighboursShareARowBeyondTheLimit) {
  std::vector<JobProfile::Flow> flows;
  for (int rank = 0; rank < 12; ++rank)
    flows.push_back({"rank " + std::to_string(rank), "rank " + std::to_string((rank + 1) % 12),
                     rank == 3 ? "halo" : "world", 1, 10});
  const FlowBins bins = bin_flows(flows, {{"rank 0", "rank 1", 5ms}, {"rank 2", "rank 9", 7ms}}, 4);
  EXPECT_EQ(bins.participants, 12u);
  EXPECT_EQ(bins.share, 3u);
  EXPECT_THAT(bins.rows, testing::ElementsAre("rank 0 .. rank 2", "rank 3 .. rank 5", "rank 6 .. rank 8",
                                              "rank 9 .. rank 11"));
  ASSERT_THAT(bins.cells, SizeIs(8)) << "a pair without messages has no cell";
  EXPECT_EQ(bins.cells[0].messages, 2u);
  EXPECT_EQ(bins.cells[0].bytes, 20u);
  EXPECT_EQ(bins.cells[0].late, 5ms);
  EXPECT_EQ(bins.cells[1].column, 1u);
  const FlowBins halo = bin_flows(flows, {}, 4, "halo");
  EXPECT_EQ(halo.rows, bins.rows);
  ASSERT_THAT(halo.cells, SizeIs(1));
  EXPECT_EQ(halo.cells[0].row, 1u);
}

// The definition is in one place (scopes/metrics/language/waiting.h).
TEST_F(JobProfileTest, WaitingIsTheSameTimeAsThatOfTheMetric) {
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), 1s, 1010ms);
  job.add(0, JobView::message("MPI_Send", MpiClass::send, 1), 2s, 2100ms);
  job.add(0, JobView::message("MPI_Ssend", MpiClass::send, 1), 3s, 3030ms);
  job.add(0, JobView::message("MPI_Sendrecv", MpiClass::send, 1), 4s, 4200ms);
  job.add(0, JobView::message("MPI_Probe", MpiClass::probe, 1), 5s, 5004ms);
  job.add(0, JobView::message("MPI_Waitall", MpiClass::complete, MpiCallRecord::none), 6s, 6500ms);
  job.add(0, JobView::message("MPI_Allreduce", MpiClass::collective, MpiCallRecord::none), 7s, 7700ms);
  job.add(0, JobView::message("MPI_Comm_dup", MpiClass::manage, MpiCallRecord::none), 8s, 8100ms);
  profile.add(job.view);
  metrics::MetricLibrary library = metrics::MetricLibrary::shipped();
  ASSERT_THAT(library.add("Waited(Process p, TimeInterval t) { RETURN Waiting_delay(p, t) / 1s; }"),
              testing::IsEmpty());
  metrics::Measurement waited(metrics::define(library.metrics(), library.find("Waited").value()), {},
                              job.names);
  constexpr std::int64_t long_before = -1'000'000'000'000;
  waited.start(long_before);
  waited.take(job.view);
  const auto values = waited.read(-long_before);
  ASSERT_THAT(profile.threads(), SizeIs(1));
  EXPECT_EQ(profile.threads()[0].waiting, 1444ms);
  double seconds = 0.0;
  for (const auto& value : values) seconds += value.datum.number;
  EXPECT_NEAR(seconds, 1.444, 1e-9);
}

// Process r has task 0x40001 + r.
class PvmProfileTest : public JobProfileTest {
 protected:
  static std::uint32_t task(std::uint32_t process) { return 0x40001 + process; }
  static PvmCallRecord message(std::string_view name, std::uint32_t partner, std::uint32_t bytes) {
    PvmCallRecord call = test::pvm_call_named(name);
    call.partner = partner;
    call.bytes = bytes;
    return call;
  }
  // `destinations`: at most six.
  void add(std::uint32_t process, PvmCallRecord call, std::chrono::nanoseconds start,
           std::chrono::nanoseconds end, const std::vector<std::uint32_t>& destinations = {}) {
    call.task = task(process);
    call.tasks = static_cast<std::uint32_t>(destinations.size());
    if (!destinations.empty()) {
      std::array<std::uint64_t, 3> words{};
      for (std::size_t i = 0; i < destinations.size(); ++i)
        words[i / 2] |= std::uint64_t{destinations[i]} << (i % 2 * 32);
      job.add_record(process, start, end, {call.word3(0, 1), words[0], words[1], words[2]});
    }
    job.add_record(process, start, end, {call.word3(0), call.word5(), call.word6(), call.word7()});
  }
  static PvmCallRecord nested(PvmCallRecord call) {
    call.add(PvmMarks::nested);
    return call;
  }
};

TEST_F(PvmProfileTest, CallsOfPvmAreTimedAndIncludeTheCallsInsideThem) {
  const PvmCallRecord receive = message("pvm_recv", task(1), 100);
  add(0, nested(test::pvm_call_named("select")), 1s, 1005ms);
  add(0, receive, 1s, 1010ms);
  add(0, receive, 2s, 2500ms);
  profile.add(job.view);
  ASSERT_THAT(profile.threads(), SizeIs(1));
  EXPECT_EQ(profile.threads()[0].calls, 2U);
  EXPECT_EQ(profile.threads()[0].transfer(), 0ms);
  EXPECT_EQ(profile.threads()[0].waiting, 510ms);
  EXPECT_EQ(profile.threads()[0].late, 490ms);
  ASSERT_THAT(profile.calls(), SizeIs(1));
  EXPECT_EQ(profile.calls()[0].call, "pvm_recv");
  EXPECT_EQ(profile.calls()[0].bytes, 200U);
}

// Forged records may name as many tasks as they like.
TEST_F(PvmProfileTest, TasksBeyondWhatATableHoldsAreLeftOut) {
  PvmCallRecord call = nested(test::pvm_call_named("select"));
  constexpr std::size_t in_each = 1 << 16;
  constexpr std::size_t beyond = 3;
  for (std::size_t begin = 0; begin < JobProfile::max_entries + beyond; begin += in_each) {
    const std::size_t end = std::min(begin + in_each, JobProfile::max_entries + beyond);
    for (std::size_t number = begin; number < end; ++number) {
      call.task = static_cast<std::uint32_t>(0x40001 + number);
      job.add_record(0, 1s, 2s, {call.word3(0), call.word5(), call.word6(), call.word7()});
    }
    profile.add(job.view);
    job.view.records.clear();
  }
  EXPECT_EQ(profile.left_out(), beyond);
}

TEST_F(PvmProfileTest, TheMatrixHasMessagesAndEachDestinationOfMulticasts) {
  add(0, message("pvm_send", task(1), 100), 1s, 2s);
  add(1, message("pvm_send", task(7), 5), 1s, 2s);
  PvmCallRecord failed = message("pvm_send", task(1), 1000);
  failed.error = 2;
  add(0, failed, 2s, 3s);
  add(0, nested(message("pvm_mcast", 0, 20)), 3s, 4s, {task(1), task(2)});
  add(0, test::pvm_call_named("pvm_bcast"), 3s, 4s);
  add(1, nested(message("pvm_send", task(0), 9)), 4s, 5s);  // within a reduction
  profile.add(job.view);
  std::vector<std::string> rows;
  for (const JobProfile::Flow& flow : profile.flows())
    rows.push_back(flow.from + " " + flow.to + " " + flow.over + " " + std::to_string(flow.messages) + " " +
                   std::to_string(flow.bytes));
  EXPECT_THAT(rows,
              testing::ElementsAre("app.0 app.1 PVM 2 120", "app.0 t40003 PVM 1 20", "app.1 t40008 PVM 1 5"));
}

TEST_F(PvmProfileTest, CallsInVainCountAsTheyWereMade) {
  PvmCallRecord look = test::pvm_call_named("pvm_nrecv");
  look.of = PvmClass::look;
  look.calls = 40;
  add(0, look, 1s, 2s);
  profile.add(job.view);
  EXPECT_EQ(profile.threads()[0].calls, 40U);
  EXPECT_EQ(profile.calls()[0].calls, 40U);
  EXPECT_EQ(profile.threads()[0].waiting, 1s);
  EXPECT_EQ(profile.threads()[0].late, 0s);
}

TEST_F(JobProfileTest, TimeIsByPhaseWhereTheProgramNamesPhases) {
  const auto begin_phase = [&](std::uint32_t level, std::chrono::nanoseconds at) {
    job.add(0, JobView::message("MPI_Pcontrol", MpiClass::manage, MpiCallRecord::none, level), at, at);
  };
  const auto receive = [&](std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
    job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), from, to);
  };
  receive(1s, 1010ms);
  begin_phase(2, 2s);
  receive(2500ms, 3s);
  begin_phase(3, 4s);
  receive(4s, 4010ms);
  begin_phase(2, 5s);
  receive(6s, 6500ms);
  profile.add(job.view);
  const auto phases = profile.phases();
  ASSERT_THAT(phases, SizeIs(3));
  EXPECT_EQ(phases[0].phase, "2");
  EXPECT_EQ(phases[0].span, 3500ms);  // from 2 s to 4 s and from 5 s to 6.5 s
  EXPECT_EQ(phases[0].compute(), 2500ms);
  EXPECT_EQ(phases[0].waiting, 1s);
  EXPECT_EQ(phases[0].late, 980ms);
  EXPECT_EQ(phases[0].transfer(), 0s);
  EXPECT_EQ(phases[0].calls, 4u);  // MPI_Pcontrol is one, too
  for (const auto& [phase, span] : {std::pair("-", 1s), std::pair("3", 1s)}) {
    const auto found = std::ranges::find(phases, phase, &JobProfile::Thread::phase);
    ASSERT_NE(found, phases.end()) << phase;
    EXPECT_EQ(found->span, span) << phase;
    EXPECT_EQ(found->waiting, 10ms) << phase;
    EXPECT_EQ(found->late, 0s) << phase;
  }
  EXPECT_EQ(profile.threads()[0].span, 5500ms);
  EXPECT_EQ(profile.threads()[0].waiting, 1020ms);
  EXPECT_EQ(profile.threads()[0].late, 980ms);
}

TEST_F(JobProfileTest, TimeIsByRegionWhereTheProgramHasRegions) {
  job.names.probes = {{1, "step"}, {2, "solve"}};
  const auto receive = [&](std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
    job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), from, to);
  };
  receive(1s, 1010ms);
  receive(3s, 3500ms);
  receive(4s, 4010ms);
  receive(7s, 7200ms);
  job.region(0, 2, 2500ms, 3600ms);
  job.region(0, 1, 2s, 5s);
  job.region(0, 1, 6s);  // still open
  profile.add(job.view);
  profile.settle();
  const auto phases = profile.phases();
  ASSERT_THAT(phases, SizeIs(3));
  const auto row = [&](const char* name) {
    return *std::ranges::find(phases, name, &JobProfile::Thread::phase);
  };
  EXPECT_EQ(row("solve").span, 1100ms);
  EXPECT_EQ(row("solve").waiting, 500ms);
  EXPECT_EQ(row("solve").late, 490ms);
  EXPECT_EQ(row("solve").compute(), 600ms);
  EXPECT_EQ(row("step").calls, 2u);  // one in the open region
  EXPECT_EQ(row("step").span, 1900ms + 1200ms);
  EXPECT_EQ(row("step").waiting, 210ms);
  EXPECT_EQ(row("step").late, 190ms);
  EXPECT_EQ(row("-").span, 1s + 1s);  // from 1 s to 2 s, and from 5 s to 6 s
  EXPECT_EQ(row("-").calls, 1u);
  EXPECT_EQ(profile.threads()[0].span, 6200ms);
  EXPECT_EQ(profile.threads()[0].calls, 4u) << "regions are no calls";
}

TEST_F(JobProfileTest, OperationsOnPathsAreInRegionsToo) {
  job.names.probes = {{1, "step"}};
  job.region(0, 1, 1s, 3s);
  const std::uint32_t path = JobView::thread(0) + 1;
  job.write(0, path, 2s, 2100ms);
  job.write(0, path, 4s, 4900ms);
  profile.add(job.view);
  profile.settle();
  const auto phases = profile.phases();
  ASSERT_THAT(phases, SizeIs(2));
  EXPECT_EQ(phases[0].phase, "-");
  EXPECT_EQ(phases[0].waiting, 0s) << "a write waits for nobody";
  EXPECT_EQ(phases[0].late, 800ms);
  EXPECT_EQ(phases[1].phase, "step");
  EXPECT_EQ(phases[1].span, 2s);
  EXPECT_EQ(phases[1].compute(), 1900ms);
}

TEST_F(JobProfileTest, WithoutPhasesThereIsNoTableOfThem) {
  job.add(0, JobView::message("MPI_Recv", MpiClass::receive, 1), 1s, 2s);
  profile.add(job.view);
  EXPECT_THAT(profile.phases(), testing::IsEmpty());
  std::ostringstream out;
  print_profile(out, Format::text, ProfileTable::all, profile, {}, job.names, 10);
  EXPECT_THAT(out.str(), Not(HasSubstr("phase")));
}

TEST_F(JobProfileTest, TheMatrixCountsMessagesWhereTheyAreSent) {
  for (int i = 0; i < 3; ++i) job.add(0, JobView::message("MPI_Isend", MpiClass::send, 2, 7, 1000), 1s, 2s);
  job.add(2, JobView::message("MPI_Recv", MpiClass::receive, 0, 7, 1000), 1s, 2s);
  job.add(1, JobView::collective("MPI_Bcast", 1), 1s, 2s);
  profile.add(job.view);
  const auto flows = profile.flows();
  ASSERT_THAT(flows, SizeIs(1));
  EXPECT_EQ(flows[0].from, "rank 0");
  EXPECT_EQ(flows[0].to, "rank 2");
  EXPECT_EQ(flows[0].over, "world (4)");
  EXPECT_EQ(flows[0].messages, 3u);
  EXPECT_EQ(flows[0].bytes, 3000u);
}

TEST_F(JobProfileTest, SizesAreCountedByPowersOfTwo) {
  for (const std::uint64_t bytes : {0, 1, 512, 1023, 1024})
    job.add(0, JobView::message("MPI_Send", MpiClass::send, 1, 7, bytes), 1s, 2s);
  profile.add(job.view);
  std::vector<std::string> told;
  for (const JobProfile::Size& size : profile.sizes())
    told.push_back(std::to_string(size.least) + "-" + std::to_string(size.most) + ": " +
                   std::to_string(size.count));
  EXPECT_THAT(told, testing::ElementsAre("0-0: 1", "1-1: 1", "512-1023: 2", "1024-2047: 1"));
}

TEST_F(JobProfileTest, CallsAreSummedByFunctionAndPlace) {
  MpiCallRecord here = JobView::message("MPI_Send", MpiClass::send, 1);
  here.site = 3;
  job.names.sites[site_in_scope(JobView::thread(0), 3)] = "/home/a/solver+0x12";
  job.add(0, here, 1s, 2s);
  job.add(0, here, 2s, 4s);
  job.add(0, JobView::message("MPI_Send", MpiClass::send, 1), 5s, 6s);
  profile.add(job.view);
  const auto calls = profile.calls();
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].call, "MPI_Send");
  EXPECT_EQ(calls[0].site, "solver+0x12");
  EXPECT_EQ(calls[0].time, 3s);
  EXPECT_EQ(calls[0].longest, 2s);
}

TEST_F(JobProfileTest, ARecordOfUnsuccessfulPollsCountsEachOfThem) {
  MpiCallRecord look = JobView::call("MPI_Test", MpiClass::look);
  look.calls = 1000;
  job.add(0, look, 1s, 3s);
  job.add(0, JobView::call("MPI_Test", MpiClass::complete), 3s, 4s);
  profile.add(job.view);
  const auto calls = profile.calls();
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].calls, 1001u);
  EXPECT_EQ(calls[0].time, 3s);
  EXPECT_EQ(calls[0].longest, 1s) << "in the mean, one in vain took 2 ms";
  EXPECT_EQ(calls[0].bytes, 0u);
  EXPECT_EQ(profile.threads()[0].calls, 1001u);
}

TEST_F(JobProfileTest, APartnerThatIsNotKnownIsCountedAsLeftOut) {
  job.names.members.clear();
  job.add(0, JobView::message("MPI_Send", MpiClass::send, 1), 1s, 2s);
  profile.add(job.view);
  EXPECT_EQ(profile.left_out(), 1u);
  EXPECT_THAT(profile.flows(), SizeIs(0));
}

TEST_F(JobProfileTest, TextShowsTheFirstRowsAndJsonAndCsvAll) {
  for (std::uint32_t to = 1; to < 4; ++to)
    job.add(0, JobView::message("MPI_Send", MpiClass::send, to), 1s, 2s);
  profile.add(job.view);
  std::ostringstream text;
  print_profile(text, Format::text, ProfileTable::matrix, profile, {}, job.names, 2);
  EXPECT_THAT(text.str(),
              AllOf(HasSubstr("messages by sender and receiver:"),
                    HasSubstr("and 1 more (--limit 0 shows all)"), Not(HasSubstr("where time goes"))));
  std::ostringstream csv;
  print_profile(csv, Format::csv, ProfileTable::matrix, profile, {}, job.names, 2);
  EXPECT_EQ(csv.str(),
            "from,to,over,messages,bytes\nrank 0,rank 1,world (4),1,100\nrank 0,rank 2,world (4),1,100\n"
            "rank 0,rank 3,world (4),1,100\n");
  std::ostringstream json;
  print_profile(json, Format::json, ProfileTable::all, profile, {}, job.names, 2);
  EXPECT_THAT(json.str(),
              AllOf(HasSubstr(R"({"table":"threads","thread":"app.0")"), HasSubstr(R"("table":"calls")")));
}

TEST(MatrixPicture, NeighboursShareARowWhenThereAreMany) {
  std::vector<JobProfile::Flow> flows;
  for (int rank = 0; rank < 128; ++rank)
    flows.push_back(
        {"rank " + std::to_string(rank), "rank " + std::to_string((rank + 1) % 128), "world", 1, 100});
  const std::string picture = draw_flows(flows).svg();
  EXPECT_THAT(picture, AllOf(HasSubstr(">rank 0 .. rank 1<"), HasSubstr(">rank 126 .. rank 127<")));
  EXPECT_THAT(picture, Not(HasSubstr("rank 128")));
}

TEST(MatrixPicture, NamesCannotBreakIt) {
  EXPECT_THAT(draw_flows({{"<b>&\"", "x", "world", 1, 1}}).svg(),
              AllOf(HasSubstr("&lt;b&gt;&amp;"), Not(HasSubstr("<b>"))));
}

}  // namespace
}  // namespace eventspace
