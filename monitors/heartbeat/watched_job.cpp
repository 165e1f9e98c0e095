#include "monitors/heartbeat/watched_job.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "collectors/mpi/mpi_text.h"
#include "monitors/heartbeat/job_health.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

nanoseconds age_of(const RecordHeader& record, const ProcessReport& process) {
  const std::uint64_t since = record.in_flight() ? record.start : record.end;
  return std::max(nanoseconds(saturating::round(process.clock.ns_between(since, process.now_ticks))),
                  nanoseconds(0));
}

JobProcess process_of(const ProcessReport& report, const ThreadHealth& health) {
  switch (report.state) {
    case RunState::dead:
      return JobProcess::dead;
    case RunState::ended:
      return JobProcess::ended;
    case RunState::stopped:
      return JobProcess::stopped;
    case RunState::hidden:
    case RunState::unknown:
      return JobProcess::hidden;
    case RunState::running:
      return health.uses_processor ? JobProcess::computing : JobProcess::sleeping;
  }
  return JobProcess::unseen;
}

// The series of unsuccessful polls to which the ended call belongs.
std::optional<JobPoll> poll_of(std::span<const TraceTuple> event, const ProcessReport& process) {
  const RecordHeader header = header_of(event.back());
  const MpiCallRecord call = mpi_call_of(event.back());
  if (call.of != MpiClass::look) return std::nullopt;
  const double ns = process.clock.ns_between(header.start, process.now_ticks);
  return JobPoll{
      std::max(nanoseconds(saturating::round(ns)), nanoseconds(0)) + std::chrono::milliseconds(call.since_ms),
      call.has(MpiPolling::always)};
}

// Whether the main thread of the process, which may compute, has called no function of MPI.
bool has_silent_main(const ProcessReport& process) {
  return !process.threads.empty() && std::ranges::none_of(process.threads, [&](const ThreadReport& thread) {
    return thread.tid == 0 || thread.tid == process.pid;
  });
}

bool has_left_mpi(const JobRank& rank) {
  return std::ranges::any_of(rank.threads, [](const JobThread& thread) {
    return !thread.in_flight && thread.last && name_of_mpi_call(thread.last->function) == "MPI_Finalize";
  });
}

bool runs(const ProcessReport& report) { return report.state != RunState::stopped && may_live(report.state); }

}  // namespace

WatchedJob::WatchedJob(const PlanNames& names, nanoseconds stall_after, std::uint32_t job)
    : names_(&names),
      stall_after_(stall_after),
      job_(job),
      communicators_(names),
      reader_(communicators_),
      limits_(stall_after),
      history_(reader_),
      polls_(reader_) {}

// --- the look -----------------------------------------------------------------------------------------

// A process that does not run and has not had an event since a process of this job began belongs to an
// earlier job: all processes of a job return from MPI_Init after all have begun.
void WatchedJob::begin(Reports reports, const std::unordered_map<std::uint32_t, std::int64_t>& newest,
                       bool has_others) {
  reports_ = std::move(reports);
  std::int64_t begun = std::numeric_limits<std::int64_t>::min();
  for (const auto& [process, report] : reports_)
    if (may_live(report->state))
      begun = std::max(begun, static_cast<std::int64_t>(report->clock.realtime_ns));
  std::erase_if(reports_, [&](const auto& entry) {
    const auto event = newest.find(entry.first);
    return !may_live(entry.second->state) && (event == newest.end() || event->second < begun);
  });
  find_processes();
  had_others_ = had_others_ || has_others;
  in_part_.clear();
  look_ = JobLook();
  look_.is_spawned = job_ != first_job;
  look_.has_others = had_others_ || look_.is_spawned;
}

// If two processes have one rank, uses the running one.
void WatchedJob::find_processes() {
  std::map<std::uint32_t, std::uint32_t> processes;
  doubled_.reset();
  for (const auto& [process, report] : reports_) {
    const auto member = names_->member_of_process(process);
    if (!member) continue;
    const auto [known, is_first] = processes.try_emplace(member->rank, process);
    if (is_first || !runs(*report)) continue;
    if (runs(*reports_.at(known->second))) doubled_ = member->rank;
    known->second = process;
  }
  const bool is_new_job = std::ranges::any_of(processes, [this](const auto& entry) {
    return !is_of_rank(entry.first, entry.second) && process_of_rank_.contains(entry.first);
  });
  if (is_new_job) {
    limits_ = CallLimits(stall_after_);
    history_ = CallHistory(reader_);
    polls_ = PollHistory(reader_);
    process_of_rank_.clear();
  }
  process_of_rank_.insert(processes.begin(), processes.end());
}

bool WatchedJob::is_of_rank(std::uint32_t rank, std::uint32_t process) const {
  const auto known = process_of_rank_.find(rank);
  return known != process_of_rank_.end() && known->second == process;
}

JobThread& WatchedJob::thread_of(std::uint32_t rank, std::uint32_t thread) {
  if (look_.ranks.size() <= rank) look_.ranks.resize(rank + 1);
  auto& threads = look_.ranks[rank].threads;
  const auto known = std::ranges::find(threads, thread, &JobThread::thread);
  if (known != threads.end()) return *known;
  threads.push_back({.thread = thread});
  return threads.back();
}

void WatchedJob::add_call(std::uint32_t rank, std::uint32_t process, std::span<const TraceTuple> event) {
  const auto report = reports_.find(process);
  if (report == reports_.end()) return;
  const RecordHeader header = header_of(event.back());
  JobThread& thread = thread_of(rank, header.thread);
  JobCall call = reader_.read(rank, event);
  call.age = age_of(header, *report->second);
  history_.see(rank, call);
  if (!header.in_flight()) learn_duration(event, *report->second);
  auto& place = header.in_flight() ? thread.in_flight : thread.last;
  if (place && call.age >= place->age) return;
  if (!header.in_flight()) thread.polls = poll_of(event, *report->second);
  place = std::move(call);
}

void WatchedJob::add_thread(std::uint32_t rank, std::uint32_t process, const ThreadHealth& health) {
  const auto report = reports_.find(process);
  if (report == reports_.end()) return;
  if (!report->second->collecting.is_complete_for(mpi_kind)) in_part_.insert(rank);
  if (is_of_mpi(health)) add_state(rank, *report->second, health);
}

// The state of a rank from all its threads: it computes if one thread computes.
void WatchedJob::add_state(std::uint32_t rank, const ProcessReport& report, const ThreadHealth& health) {
  JobThread& thread = thread_of(rank, health.thread);
  thread.uses_processor = health.uses_processor;
  thread.lacks_processor = health.lacks_processor;
  JobRank& state = look_.ranks[rank];
  state.process = std::min(state.process, process_of(report, health));
}

void WatchedJob::finish() {
  if (look_.ranks.empty()) return;
  judge_end();
  add_members();
}

void WatchedJob::learn_duration(std::span<const TraceTuple> event, const ProcessReport& process) {
  const RecordHeader header = header_of(event.back());
  const MpiCallRecord call = mpi_call_of(event.back());
  if (is_immediate(call)) return;
  const double ns = process.clock.ns_between(header.start, header.end);
  limits_.add(call.communicator, std::max(nanoseconds(saturating::round(ns)), nanoseconds(0)));
}

// A rank that has returned from MPI_Finalize has left the job, whatever its process does afterwards. A rank
// whose process ended without MPI_Finalize has failed: others may wait for it, and the launcher reports a
// failure. If some calls are not recorded, it may still have called MPI_Finalize.
void WatchedJob::judge_end() {
  for (std::uint32_t number = 0; number < look_.ranks.size(); ++number) {
    JobRank& rank = look_.ranks[number];
    const bool has_left = has_left_mpi(rank);
    if (rank.process == JobProcess::ended && !has_left && !in_part_.contains(number))
      rank.process = JobProcess::dead;
    if (rank.process <= JobProcess::hidden && has_left) rank.process = JobProcess::ended;
  }
}

std::size_t WatchedJob::finalized_ranks() const {
  return static_cast<std::size_t>(std::ranges::count_if(look_.ranks, [](const JobRank& rank) {
    return rank.process == JobProcess::ended && has_left_mpi(rank);
  }));
}

// All ranks call MPI_Finalize, which does not name a communicator.
void WatchedJob::add_members() {
  const auto learn = [&](std::uint32_t communicator) { (void)communicators_.find(communicator); };
  for (const JobRank& rank : look_.ranks) {
    for (const JobThread& thread : rank.threads) {
      if (!thread.in_flight) continue;
      learn(thread.in_flight->communicator);
      for (const AwaitedPart& part : thread.in_flight->awaits) learn(part.communicator);
    }
  }
  std::size_t ranks = look_.ranks.size();
  for (const auto& [communicator, members] : communicators_.known()) {
    if (communicators_.find(communicator) == nullptr) continue;
    look_.members[communicator] = members.ranks;
    ranks = std::max<std::size_t>(ranks, members.ranks.ranges().back().last + 1);
  }
  constexpr std::size_t max_ranks = 1u << 20;  // members come from the job's processes and are not trusted
  look_.ranks.resize(std::min(ranks, max_ranks));
  const RankSet all = RankSet::of_range(0, static_cast<std::uint32_t>(look_.ranks.size() - 1));
  look_.members[MpiCallRecord::no_communicator] = all;
  for (const JobRank& rank : look_.ranks) {
    for (const JobThread& thread : rank.threads)
      if (thread.in_flight && communicators_.is_world(thread.in_flight->communicator))
        look_.members.try_emplace(thread.in_flight->communicator, all);
  }
}

// --- the past -----------------------------------------------------------------------------------------

bool WatchedJob::is_suspect() const {
  return std::ranges::any_of(look_.ranks, [&](const JobRank& rank) {
    return std::ranges::any_of(rank.threads, [&](const JobThread& thread) {
      if (thread.polls && thread.polls->age >= stall_after_) return true;
      return thread.in_flight && thread.in_flight->age >= stall_after_;
    });
  });
}

// The view of the past is younger than the look, so it may contain a new process; it has each event once.
void WatchedJob::learn(std::uint32_t rank, std::span<const TraceTuple> event, const ProcessReport& report) {
  if (may_live(report.state)) process_of_rank_.try_emplace(rank, report.process);
  if (!is_of_rank(rank, report.process)) return;
  const RecordHeader header = header_of(event.back());
  learn_duration(event, report);
  const std::int64_t began_ns = report.clock.to_realtime_ns(header.start);
  const std::int64_t ended_ns = report.clock.to_realtime_ns(header.end);
  history_.add(rank, event, began_ns, ended_ns);
  polls_.add(rank, header.thread, event, nanoseconds(began_ns), nanoseconds(ended_ns), limits_);
}

void WatchedJob::complete() {
  if (look_.ranks.empty()) return;
  set_polls();
  add_members();  // of communicators named by the past
  history_.complete(look_);
}

// The past contains the polled messages and requests. A thread that polls from time to time and computes in
// between does not wait.
void WatchedJob::set_polls() {
  for (std::uint32_t number = 0; number < look_.ranks.size(); ++number) {
    const auto process = process_of_rank_.find(number);
    const auto report = process == process_of_rank_.end() ? reports_.end() : reports_.find(process->second);
    if (report == reports_.end() || has_silent_main(*report->second)) continue;
    for (JobThread& thread : look_.ranks[number].threads) {
      if (!polls_only(look_.ranks[number], thread)) continue;
      const std::int64_t now_ns = report->second->clock.to_realtime_ns(report->second->now_ticks);
      const JobCall* const poll = polls_.find(thread.thread, nanoseconds(now_ns) - thread.polls->age);
      if (poll == nullptr || poll->awaits.empty()) continue;
      thread.in_flight = *poll;
      thread.in_flight->age = thread.polls->age;
    }
  }
}

bool WatchedJob::polls_only(const JobRank& rank, const JobThread& thread) const {
  if (!thread.polls || thread.in_flight || thread.last->age > stall_after_ / 2) return false;
  const bool is_idle = rank.process != JobProcess::hidden && !thread.uses_processor;
  return thread.polls->is_always || is_idle;
}

}  // namespace eventspace
