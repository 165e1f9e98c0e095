#include "monitors/wait_states/activity_sink.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "monitors/critical_path/critical_path.h"
#include "monitors/wait_states/wait_states.h"
#include "pathmaps/pathmap.h"
#include "tests/monitors/wait_states/made_run.h"
#include "tests/monitors/wait_states/recorded_job.h"

// From recordings to wait states: which calls of MPI and which operations on paths belong together.
namespace eventspace {
namespace {

using test::JobView;
using test::RecordedJob;
using test::us;
using testing::ElementsAre;
using testing::IsEmpty;

/// "late sender: rank 1 waited 90us for rank 0 in MPI_Recv"; in brackets if it is not certain.
std::vector<std::string> waits_of(const RunActivities& run) {
  std::vector<std::string> all;
  for (const WaitState& wait : find_waits(run).waits) {
    if (wait.kind == WaitKind::startup) continue;
    const std::string text = fmt::format(
        "{}: {} waited {}us for {} in {}", to_string(wait.kind), run.name_of(wait.waiting.location),
        wait.ns() / us, run.name_of(wait.cause.location), run.site_name(run.find(wait.waiting)->site));
    all.push_back(wait.is_certain() ? text : "(" + text + ")");
  }
  return all;
}

class ActivitySinkTest : public test::RecordedJobTest {
 protected:
  std::vector<std::string> waits(RecordedJob& job) {
    job.write(file());
    std::vector<std::string> all;
    read(file(), [&all](const ActivitySink& sink) { all = waits_of(sink.run()); });
    return all;
  }
  void use(RecordedJob& job, const std::function<void(const ActivitySink&)>& use) {
    job.write(file());
    read(file(), use);
  }
  static MpiCallRecord with_request(MpiCallRecord record, std::uint32_t request) {
    record.request = request;
    return record;
  }
  static MpiCallRecord isend(std::uint32_t to, std::uint32_t request, std::uint32_t tag = 7) {
    return with_request(JobView::message("MPI_Isend", MpiClass::send, to, tag), request);
  }
  static MpiCallRecord irecv(std::uint32_t from, std::uint32_t request, std::uint32_t tag = 7) {
    return with_request(JobView::message("MPI_Irecv", MpiClass::receive, from, tag), request);
  }
  static MpiCallRecord wait_for(const MpiCallRecord& made_by, const std::string& name = "MPI_Wait",
                                std::uint32_t requests = 1) {
    MpiCallRecord wait = JobView::call(name, MpiClass::complete);
    wait.take_request(made_by);
    wait.requests = requests;
    return wait;
  }
};

// --- messages ---------------------------------------------------------------------------------------------

TEST_F(ActivitySinkTest, AReceiveWaitsForItsSend) {
  RecordedJob job(2);
  job.send(0, 1, 100, 102);
  job.receive(1, 0, 10, 105);
  EXPECT_THAT(waits(job), ElementsAre("late sender: rank 1 waited 90us for rank 0 in MPI_Recv"));
}

TEST_F(ActivitySinkTest, ASendThatLastsUntilItsReceiveWaitedForIt) {
  RecordedJob job(2);
  job.send(0, 1, 10, 95);
  job.receive(1, 0, 80, 96);
  EXPECT_THAT(waits(job), ElementsAre("late receiver: rank 0 waited 70us for rank 1 in MPI_Send"));
}

TEST_F(ActivitySinkTest, AWaitForAReceiveWaitsForTheSendThatBelongsToIt) {
  RecordedJob job(2);
  const MpiCallRecord first = irecv(0, 5), second = irecv(0, 6);
  job.call(1, first, 0, 1);
  job.call(1, second, 2, 3);
  job.call(1, wait_for(second), 10, 125);
  job.call(1, wait_for(first), 130, 131);
  job.send(0, 1, 50, 52);
  job.send(0, 1, 120, 122);
  EXPECT_THAT(waits(job), ElementsAre("late sender: rank 1 waited 110us for rank 0 in MPI_Wait"));
}

TEST_F(ActivitySinkTest, AWaitForASendWaitsUntilTheReceiveWasPosted) {
  RecordedJob job(2);
  const MpiCallRecord sent = isend(1, 5), posted = irecv(0, 9);
  job.call(0, sent, 0, 1);
  job.call(0, wait_for(sent), 10, 75);
  job.call(1, posted, 60, 61);
  job.call(1, wait_for(posted), 70, 76);
  EXPECT_THAT(waits(job), ElementsAre("late receiver: rank 0 waited 50us for rank 1 in MPI_Wait"));
}

TEST_F(ActivitySinkTest, AWaitallWaitsForSendsThatItsRecordsDoNotListAsCompleted) {
  RecordedJob job(2);
  const MpiCallRecord sent = isend(1, 5), received = irecv(1, 6, 8);
  job.call(0, sent, 0, 1);
  job.call(0, received, 2, 3);
  job.job.awaits(0, {sent, received}, RecordedJob::at(10));
  job.call(0, wait_for(received, "MPI_Waitall", 2), 10, 85);
  job.call(1, JobView::message("MPI_Send", MpiClass::send, 0, 8), 5, 7);
  job.receive(1, 0, 80, 86);
  EXPECT_THAT(waits(job), ElementsAre("late receiver: rank 0 waited 70us for rank 1 in MPI_Waitall"));
}

TEST_F(ActivitySinkTest, ASeriesOfPollsAndTheCallThatFoundTheMessageAreOneWait) {
  RecordedJob job(2);
  const MpiCallRecord posted = irecv(0, 5);
  job.call(1, posted, 0, 1);
  MpiCallRecord polls = JobView::call("MPI_Test", MpiClass::look);
  polls.polling = static_cast<std::uint8_t>(MpiPolling::always);
  polls.calls = 100;
  job.call(1, polls, 10, 60);
  job.call(1, wait_for(posted, "MPI_Test"), 93, 95);
  job.send(0, 1, 90, 92);
  EXPECT_THAT(waits(job), ElementsAre("late sender: rank 1 waited 80us for rank 0 in MPI_Test"));
}

TEST_F(ActivitySinkTest, ALongComputationAfterPollsIsNotAWait) {
  RecordedJob job(2);
  const MpiCallRecord posted = irecv(0, 5);
  job.call(1, posted, 0, 1);
  MpiCallRecord polls = JobView::call("MPI_Test", MpiClass::look);
  polls.polling = static_cast<std::uint8_t>(MpiPolling::always);
  job.call(1, polls, 10, 20);
  job.call(1, wait_for(posted, "MPI_Test"), 93, 95);
  job.send(0, 1, 90, 92);
  EXPECT_THAT(waits(job), IsEmpty());
}

TEST_F(ActivitySinkTest, PollsThatFindNothingAreCallsOfTheirOwn) {
  RecordedJob job(2);
  MpiCallRecord polls = JobView::call("MPI_Iprobe", MpiClass::look);
  polls.polling = static_cast<std::uint8_t>(MpiPolling::always);
  job.call(1, polls, 10, 60);
  job.send(1, 0, 70, 71);
  job.receive(0, 1, 72, 73);
  use(job, [](const ActivitySink& sink) { EXPECT_EQ(sink.run().activities(0).size(), 2U); });
}

TEST_F(ActivitySinkTest, AProbeAndTheReceiveAfterItAreOneWait) {
  RecordedJob job(2);
  job.call(1, JobView::message("MPI_Probe", MpiClass::probe, 0), 10, 94);
  job.receive(1, 0, 95, 97);
  job.send(0, 1, 90, 92);
  EXPECT_THAT(waits(job), ElementsAre("late sender: rank 1 waited 80us for rank 0 in MPI_Recv"));
}

TEST_F(ActivitySinkTest, CallsOfOneSidedCommunicationMayWaitButAreNotFollowed) {
  RecordedJob job(2);
  job.call(0, JobView::call("MPI_Win_fence", MpiClass::window), 10, 90);
  job.send(0, 1, 100, 102);
  use(job, [](const ActivitySink& sink) {
    EXPECT_TRUE(sink.run().find({0, 0})->awaits_unfollowed);
    EXPECT_FALSE(sink.run().find({0, 1})->awaits_unfollowed);
  });
}

// --- collective operations --------------------------------------------------------------------------------

TEST_F(ActivitySinkTest, CollectiveOperationsWaitByTheirKind) {
  struct Case {
    std::string function;
    std::vector<std::string> waits;
  };
  for (const Case& one : std::vector<Case>{
           {"MPI_Barrier",
            {"wait at barrier: rank 0 waited 40us for rank 2",
             "wait at barrier: rank 1 waited 60us for rank 2"}},
           {"MPI_Allreduce",
            {"wait at NxN: rank 0 waited 40us for rank 2", "wait at NxN: rank 1 waited 60us for rank 2"}},
           {"MPI_Alltoallv",
            {"wait at NxN: rank 0 waited 40us for rank 2", "wait at NxN: rank 1 waited 60us for rank 2"}},
           {"MPI_Reduce", {"early reduce: rank 0 waited 40us for rank 2"}},
           {"MPI_Gather", {"early reduce: rank 0 waited 40us for rank 2"}},
           {"MPI_Bcast", {"late broadcast: rank 1 waited 20us for rank 0"}},
           {"MPI_Scatterv", {"late broadcast: rank 1 waited 20us for rank 0"}},
           {"MPI_Scan", {"early scan: rank 1 waited 20us for rank 0"}}}) {
    RecordedJob job(3);
    const auto call = [&](std::uint32_t rank, std::int64_t begin) {
      MpiCallRecord record = JobView::collective(one.function, 1);
      record.partner = 0;
      job.call(rank, record, begin, 75);
    };
    call(0, 30);
    call(1, 10);
    call(2, 70);
    std::vector<std::string> expected;
    for (const std::string& text : one.waits) expected.push_back(text + " in " + one.function);
    EXPECT_THAT(waits(job), testing::UnorderedElementsAreArray(expected));
  }
}

TEST_F(ActivitySinkTest, AWaitForACollectiveOperationWaitsForItsLastMember) {
  RecordedJob job(2);
  const MpiCallRecord begun = JobView::collective("MPI_Ibarrier", 1);
  job.call(0, begun, 0, 1);
  job.job.awaits(0, {begun}, RecordedJob::at(20));
  job.call(0, JobView::call("MPI_Wait", MpiClass::complete), 20, 85);
  job.call(1, begun, 80, 81);
  job.job.awaits(1, {begun}, RecordedJob::at(82));
  job.call(1, JobView::call("MPI_Wait", MpiClass::complete), 82, 86);
  EXPECT_THAT(waits(job), ElementsAre("wait at barrier: rank 0 waited 60us for rank 1 in MPI_Wait"));
}

TEST_F(ActivitySinkTest, RootsAreRanksInTheirCommunicator) {
  RecordedJob job(3);
  job.communicator(20, "odd (2)", "2,1");
  const auto call = [&](std::uint32_t rank, std::int64_t begin) {
    MpiCallRecord record = JobView::collective("MPI_Bcast", 1);
    record.communicator = 20;
    record.partner = 0;  // rank 2 in the world
    job.call(rank, record, begin, 75);
  };
  call(1, 10);
  call(2, 70);
  EXPECT_THAT(waits(job), ElementsAre("late broadcast: rank 1 waited 60us for rank 2 in MPI_Bcast"));
}

TEST_F(ActivitySinkTest, AllRanksWaitForEachOtherInFinalize) {
  RecordedJob job(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) job.manage(rank, "MPI_Init", 0, 10);
  job.manage(0, "MPI_Finalize", 20, 95);
  job.manage(1, "MPI_Finalize", 90, 96);
  EXPECT_THAT(waits(job), ElementsAre("wait at barrier: rank 0 waited 70us for rank 1 in MPI_Finalize"));
}

TEST_F(ActivitySinkTest, WithoutTheLastCallOfARankItIsNotKnownForWhomOthersWaitedAtTheEnd) {
  RecordedJob job(2);
  job.manage(0, "MPI_Finalize", 20, 95);
  job.send(1, 0, 90, 91);
  use(job, [](const ActivitySink& sink) {
    EXPECT_THAT(waits_of(sink.run()), IsEmpty());
    EXPECT_TRUE(sink.run().find({0, 0})->awaits_unfollowed);
  });
}

TEST_F(ActivitySinkTest, WithoutARankOfTheWorldItIsNotKnownForWhomOthersWaitedAtTheBeginAndTheEnd) {
  RecordedJob job(3);
  for (const std::uint32_t rank : {0U, 1U}) {
    job.manage(rank, "MPI_Init", 5 * rank, 10);
    job.manage(rank, "MPI_Finalize", 20 + 70 * rank, 96);
  }
  use(job, [](const ActivitySink& sink) {
    EXPECT_THAT(find_waits(sink.run()).waits, IsEmpty());
    for (const std::uint32_t location : {0U, 1U})
      for (const std::uint64_t number : {0U, 1U})
        EXPECT_TRUE(sink.run().find({location, number})->awaits_unfollowed);
  });
}

// --- what is not known ------------------------------------------------------------------------------------

TEST_F(ActivitySinkTest, AReceiveWhoseSendWasLostMayHaveWaited) {
  RecordedJob job(2);
  job.send(0, 1, 0, 1);
  job.receive(1, 0, 2, 3);
  job.send(0, 1, 100, 102);
  job.lose();
  job.receive(1, 0, 10, 105);
  job.send(0, 1, 200, 202);
  use(job, [](const ActivitySink& sink) {
    EXPECT_THAT(waits_of(sink.run()), IsEmpty());
    EXPECT_EQ(sink.reservations().lost_records, 1U);
    EXPECT_TRUE(sink.run().find({0, 1})->follows_gap);
    EXPECT_TRUE(sink.run().find({0, 1})->awaits_unfollowed) << "its receive may be lost too";
    EXPECT_TRUE(sink.run().find({1, 1})->awaits_unknown);
    const CriticalPath path = find_critical_path(sink.run(), find_waits(sink.run()));
    EXPECT_EQ(path.breaks, CriticalPath::Break::gap);
    EXPECT_EQ(path.ns(), 2 * us);
  });
}

TEST_F(ActivitySinkTest, ARecordingThatBeginsInTheMiddleBeginsWithAGap) {
  RecordedJob job(2);
  for (const std::uint32_t rank : {0U, 1U}) {
    job.collective(rank, "MPI_Barrier", 1, 0, 5);
    job.lose();
  }
  job.collective(0, "MPI_Barrier", 2, 20, 105);
  job.collective(1, "MPI_Barrier", 2, 100, 106);
  use(job, [](const ActivitySink& sink) {
    EXPECT_THAT(waits_of(sink.run()),
                ElementsAre("wait at barrier: rank 0 waited 80us for rank 1 in MPI_Barrier"));
    for (const std::uint32_t location : {0U, 1U}) EXPECT_TRUE(sink.run().activities(location)[0].follows_gap);
    const CriticalPath path = find_critical_path(sink.run(), find_waits(sink.run()));
    EXPECT_EQ(path.breaks, CriticalPath::Break::gap);
  });
}

TEST_F(ActivitySinkTest, AnOperationThatLacksAMemberMayHaveWaitedForIt) {
  RecordedJob job(3);
  job.collective(0, "MPI_Barrier", 1, 20, 105);
  job.collective(1, "MPI_Barrier", 1, 100, 106);
  use(job, [](const ActivitySink& sink) {
    EXPECT_THAT(waits_of(sink.run()), IsEmpty());
    EXPECT_TRUE(sink.run().find({0, 0})->awaits_unknown);
  });
}

TEST_F(ActivitySinkTest, AMemberThatHadNotLeftWhenRecordingEndedHasCome) {
  RecordedJob job(2);
  job.collective(0, "MPI_Barrier", 1, 20, 105);
  job.in_flight(1, JobView::collective("MPI_Barrier", 1), 100);
  EXPECT_THAT(waits(job), ElementsAre("wait at barrier: rank 0 waited 80us for rank 1 in MPI_Barrier"));
}

TEST_F(ActivitySinkTest, WaitsThatAreShorterThanTheErrorOfTheClocksAreNotCertain) {
  RecordedJob job(2);
  job.send(0, 1, 100, 102);
  job.receive(1, 0, 10, 105);
  job.set_clock_error(std::chrono::microseconds(50));
  EXPECT_THAT(waits(job), ElementsAre("(late sender: rank 1 waited 90us for rank 0 in MPI_Recv)"));
  job.set_clock_error(std::chrono::microseconds(40));
  EXPECT_THAT(waits(job), ElementsAre("late sender: rank 1 waited 90us for rank 0 in MPI_Recv"));
}

TEST_F(ActivitySinkTest, ProcessesThatDidNotRecordAllCallsAreCounted) {
  RecordedJob job(3);
  job.send(0, 1, 100, 102);
  job.receive(1, 0, 10, 105);
  use(job, [](const ActivitySink& sink) { EXPECT_EQ(sink.reservations().thinned_processes, 0U); });
  job.job.view.processes[0].collecting.period = 10;
  job.job.view.processes[2].collecting.by_program = false;
  use(job, [](const ActivitySink& sink) { EXPECT_EQ(sink.reservations().thinned_processes, 2U); });
}

TEST_F(ActivitySinkTest, EndsBeyondTheLimitAreGivenUpAndCounted) {
  RecordedJob job(2);
  for (int i = 0; i < 10; ++i) job.receive(1, 0, 10 * i, 10 * i + 5);
  for (int i = 0; i < 10; ++i) job.send(0, 1, 10 * i + 1, 10 * i + 2);
  job.write(file());
  read(file(),
       [](const ActivitySink& sink) {
         EXPECT_GT(sink.reservations().left_out, 0U);
         std::size_t unknown = 0;
         for (const Activity& call : sink.run().activities(0)) unknown += call.awaits_unknown ? 1 : 0;
         for (const Activity& call : sink.run().activities(1)) unknown += call.awaits_unknown ? 1 : 0;
         EXPECT_GT(unknown, 0U);
       },
       {.partners = {.signals = 1}});
}

// --- regions ----------------------------------------------------------------------------------------------

TEST_F(ActivitySinkTest, RegionsOfTheProgramDivideItsComputation) {
  RecordedJob job(1);
  job.manage(0, "MPI_Init", 0, 5);
  job.region(0, "inner", 30, 40);
  job.region(0, "outer", 10, 60);
  job.manage(0, "MPI_Finalize", 80, 90);
  use(job, [](const ActivitySink& sink) {
    const RunActivities& run = sink.run();
    const CriticalPath path = find_critical_path(run, find_waits(run));
    std::vector<std::string> pieces;
    for (const PathSegment& segment : path.segments)
      pieces.push_back(fmt::format(
          "{} {}", segment.of.is_call ? run.site_name(segment.of.number) : run.region_name(segment.of.number),
          segment.ns() / us));
    EXPECT_THAT(pieces, ElementsAre("MPI_Init 5", " 5", "outer 20", "inner 10", "outer 20", " 20",
                                    "MPI_Finalize 10"));
  });
}

// --- paths ------------------------------------------------------------------------------------------------

constexpr const char* pathmap_of_market = R"(pathmap: 1
name: market
cluster: {nodes: {n1: {}}}
application:
  threads: [w0, r0]
  elements: [{name: queue, tuple: [int], threshold: 2, when_full: wait}]
  paths:
    - {thread: w0, name: put, element: queue, use: write}
    - {thread: r0, name: get, element: queue, use: read}
  collectives: {meet: {kind: barrier, threads: "*", levels: [{group: all, on: n1}]}}
placement:
  processes: {p0: {node: n1, threads: [w0]}, p1: {node: n1, threads: [r0]}}
  elements: [{elements: queue, process: p1}]
collect: {points: [{at: thread}]}
)";

/// A recording of the threads w0 and r0. Times are microseconds.
class RecordedPathsTest : public test::RecordedJobTest {
 protected:
  RecordedPathsTest()
      : plan_(std::make_shared<const Plan>(*parse_plan(pathmap_of_market, "market.yaml").plan)) {}

  void add(const std::string& path, Verb verb, std::uint64_t number, std::int64_t begin, std::int64_t end,
           Status status = Status::ok, const std::string& thread = "") {
    for (const PathIndex index : plan_->paths.indices()) {
      const PathPlan& of = plan_->paths[index];
      const std::string_view user = plan_->threads[of.thread].name;
      if (of.name != path || (!thread.empty() && user != thread)) continue;
      EventRecord record;
      record.sequence = ++sequences_[index.number32()];
      record.start = static_cast<std::uint64_t>(RecordedJob::at(begin).count());
      record.end = static_cast<std::uint64_t>(RecordedJob::at(end).count());
      record.thread = of.thread.number32();
      record.path = index.number32();
      record.verb = verb;
      record.status = status;
      record.parameter = number;
      records_.push_back(encode(record));
      return;
    }
    ADD_FAILURE() << "no path " << path;
  }
  std::vector<std::string> waits() {
    write();
    std::vector<std::string> all;
    read(file(), [&all](const ActivitySink& sink) { all = waits_of(sink.run()); });
    return all;
  }
  void write() {
    const std::int64_t end = RecordedJob::at(10'000).count();
    View view;
    for (const std::uint32_t process : {0U, 1U}) {
      ProcessReport& report = view.processes.emplace_back();
      report.process = process;
      report.pid = 100 + static_cast<std::int32_t>(process);
      report.now_ticks = static_cast<std::uint64_t>(end);
      report.now_monotonic_ns = end;
    }
    const View state = view;
    view.records = Records(records_);
    const NamesOfPlan names(plan_);
    RecordingWriter writer({.file = file(),
                            .session = {"market", pathmap_of_market, "n1", "0.1", 0, 5'000'000'000},
                            .names = &names,
                            .replaces = true});
    writer.add_events(std::move(view), end);
    writer.add_state(state, end);
    writer.end({.reason = "end", .ended_ns = end});
  }

 private:
  std::shared_ptr<const Plan> plan_;
  std::map<std::uint32_t, std::uint64_t> sequences_;
  std::vector<TraceTuple> records_;
};

TEST_F(RecordedPathsTest, ATakeWaitsForTheWriteOfItsTuple) {
  add("put", Verb::write, 1, 100, 102);
  add("get", Verb::take, 1, 10, 105);
  EXPECT_THAT(waits(), ElementsAre("late sender: r0 waited 92us for w0 in take get"));
}

TEST_F(RecordedPathsTest, AWriteToAFullElementWaitsForTheTakeThatMakesRoom) {
  add("put", Verb::write, 1, 0, 1);
  add("put", Verb::write, 2, 2, 3);
  add("put", Verb::write, 3, 10, 95);
  add("get", Verb::take, 1, 90, 94);
  EXPECT_THAT(waits(), ElementsAre("late receiver: w0 waited 84us for r0 in write put"));
}

TEST_F(RecordedPathsTest, TakesThatFoundNothingBeginTheWait) {
  add("put", Verb::write, 1, 100, 102);
  add("get", Verb::take, 0, 10, 30, Status::empty);
  add("get", Verb::take, 0, 35, 80, Status::empty);
  add("get", Verb::take, 1, 103, 104);
  EXPECT_THAT(waits(), ElementsAre("late sender: r0 waited 92us for w0 in take get"));
}

TEST_F(RecordedPathsTest, TheTimeBetweenTakesThatFoundNothingIsComputationIfItIsMostOfTheTime) {
  add("put", Verb::write, 1, 100, 102);
  add("get", Verb::take, 0, 10, 11, Status::empty);
  add("get", Verb::take, 0, 50, 51, Status::empty);
  add("get", Verb::take, 1, 103, 104);
  EXPECT_THAT(waits(), IsEmpty());
  read(file(), [](const ActivitySink& sink) {
    for (std::uint32_t location = 0; location < 2; ++location)
      EXPECT_EQ(sink.run().activities(location).size(), sink.run().name_of(location) == "r0" ? 3U : 1U);
  });
}

TEST_F(RecordedPathsTest, ATupleFromBeforeTheRecordingMayHaveBeenAwaitedOnlyByItsFirstReader) {
  for (int i = 0; i < 5; ++i) add("get", Verb::read, 1, 100 * i, 100 * i + 10);
  add("put", Verb::write, 2, 900, 901);
  write();
  read(file(), [](const ActivitySink& sink) {
    const RunActivities& run = sink.run();
    ASSERT_EQ(run.activities(0).size(), 5U);
    for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(run.find({0, i})->awaits_unknown, i == 0) << i;
  });
}

TEST_F(RecordedPathsTest, ThreadsWaitForTheLastAtABarrier) {
  add("meet", Verb::exchange, 1, 10, 95, Status::ok, "w0");
  add("meet", Verb::exchange, 1, 90, 96, Status::ok, "r0");
  EXPECT_THAT(waits(), ElementsAre("wait at barrier: w0 waited 80us for r0 in exchange meet"));
}

}  // namespace
}  // namespace eventspace
