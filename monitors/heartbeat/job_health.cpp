#include "monitors/heartbeat/job_health.h"

#include <algorithm>
#include <limits>
#include <set>

#include "collectors/mpi/mpi_text.h"
#include "scopes/tree/own_numbers.h"
#include "scopes/tree/view_events.h"
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

// The series of calls in vain to which the ended call belongs.
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

std::unordered_map<std::uint32_t, const ProcessReport*> latest_reports(const View& view) {
  std::unordered_map<std::uint32_t, const ProcessReport*> latest;
  for (const ProcessReport& report : view.processes) {
    const ProcessReport*& known = latest[report.process];
    if (known == nullptr || report.start_ticks >= known->start_ticks) known = &report;
  }
  return latest;
}

void place(ThreadHealth& health, std::uint32_t rank, const JobReport& job) {
  for (std::size_t i = 0; i < job.verdicts.size() && !health.job_verdict; ++i) {
    health.is_job_culprit = job.verdicts[i].culprits.contains(rank);
    if (health.is_job_culprit || job.verdicts[i].waiting.contains(rank)) health.job_verdict = i;
  }
}

// By process, when its newest event began or ended, in nanoseconds since 1970.
std::unordered_map<std::uint32_t, std::int64_t> newest_events(
    const View& view, const std::unordered_map<std::uint32_t, const ProcessReport*>& reports) {
  std::unordered_map<std::uint32_t, std::int64_t> newest;
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind != mpi_kind || !is_own_number(header.thread)) continue;
    const auto process = reports.find(process_of_own_number(header.thread));
    if (process == reports.end()) continue;
    const std::int64_t at =
        process->second->clock.to_realtime_ns(header.in_flight() ? header.start : header.end);
    const auto [known, is_new] = newest.try_emplace(process->first, at);
    if (!is_new) known->second = std::max(known->second, at);
  }
  return newest;
}

// Of two processes of one rank, the one that runs.
std::map<std::uint32_t, std::uint32_t> processes_by_rank(
    const std::unordered_map<std::uint32_t, const ProcessReport*>& reports, const PlanNames& names) {
  std::map<std::uint32_t, std::uint32_t> processes;
  for (const auto& [process, report] : reports) {
    const auto rank = rank_in_name(names.process_name(process));
    if (!rank) continue;
    const auto [known, is_first] = processes.try_emplace(*rank, process);
    if (!is_first && report->state != RunState::stopped && may_live(report->state)) known->second = process;
  }
  return processes;
}

bool has_left_mpi(const JobRank& rank) {
  return std::ranges::any_of(rank.threads, [](const JobThread& thread) {
    return !thread.in_flight && thread.last && name_of_mpi_call(thread.last->function) == "MPI_Finalize";
  });
}

}  // namespace

bool is_of_mpi(const ThreadHealth& health) noexcept {
  return (health.in_flight && health.in_flight->kind == mpi_kind) ||
         (health.last && health.last->kind == mpi_kind);
}

JobHealth::JobHealth(const PlanNames& names, nanoseconds stall_after, ViewSource* past, Timeline* timeline)
    : names_(&names),
      stall_after_(stall_after),
      past_(past),
      timeline_(timeline),
      communicators_(names),
      reader_(communicators_),
      limits_(stall_after),
      history_(reader_),
      polls_(reader_) {}

void JobHealth::judge(const View& view, Timeline::Time at, nanoseconds patience, HealthReport& report) {
  if (std::ranges::none_of(report.threads, is_of_mpi)) return;
  JobLook look = look_of(view, report);
  if (is_suspect(look)) {
    learn_past(at, patience);
    set_polls(look, view);
    add_members(look);  // of communicators that the past has named
    history_.complete(look);
  }
  report.job = eventspace::judge(look, limits_);
  report.finalized_ranks =
      static_cast<std::size_t>(std::ranges::count_if(look.ranks, [](const JobRank& rank) {
        return rank.process == JobProcess::ended && has_left_mpi(rank);
      }));
  apply(look, report);
}

// --- the look -----------------------------------------------------------------------------------------

std::optional<std::uint32_t> JobHealth::rank_of(std::uint32_t thread) const {
  if (!is_own_number(thread)) return std::nullopt;
  return rank_in_name(names_->process_name(process_of_own_number(thread)));
}

bool JobHealth::is_of_spawned(std::uint32_t thread) const {
  return is_own_number(thread) && is_spawned(names_->process_name(process_of_own_number(thread)));
}

JobThread* JobHealth::thread_of(JobLook& look, std::uint32_t thread) {
  const auto rank = rank_of(thread);
  if (!rank) return nullptr;
  if (look.ranks.size() <= *rank) look.ranks.resize(*rank + 1);
  auto& threads = look.ranks[*rank].threads;
  const auto known = std::ranges::find(threads, thread, &JobThread::thread);
  if (known != threads.end()) return &*known;
  threads.push_back({.thread = thread});
  return &threads.back();
}

JobLook JobHealth::look_of(const View& view, const HealthReport& report) {
  JobLook look;
  const Reports reports = reports_of_job(view);
  add_calls(look, view, reports);
  for (const ThreadHealth& health : report.threads)
    if (is_of_mpi(health)) add_state(look, health, reports);
  judge_end(look, report, reports);
  add_members(look);
  return look;
}

// Without the processes of earlier jobs of the session, of which segments are left: those that had no event
// since a process of this job began. All processes of a job return from MPI_Init after all have begun. What
// was learned of an earlier job is forgotten.
JobHealth::Reports JobHealth::reports_of_job(const View& view) {
  Reports reports = latest_reports(view);
  const auto newest = newest_events(view, reports);
  std::int64_t begun = std::numeric_limits<std::int64_t>::min();
  for (const auto& [process, report] : reports)
    if (may_live(report->state))
      begun = std::max(begun, static_cast<std::int64_t>(report->clock.realtime_ns));
  std::erase_if(reports, [&](const auto& entry) {
    const bool is_gone = !may_live(entry.second->state);
    const auto event = newest.find(entry.first);
    return is_gone && (event == newest.end() || event->second < begun);
  });
  const auto processes = processes_by_rank(reports, *names_);
  const bool is_new_job = std::ranges::any_of(processes, [this](const auto& entry) {
    const auto known = process_of_rank_.find(entry.first);
    return known != process_of_rank_.end() && known->second != entry.second;
  });
  if (is_new_job) {
    limits_ = CallLimits(stall_after_);
    history_ = CallHistory(reader_);
    polls_ = PollHistory(reader_);
    process_of_rank_.clear();
  }
  process_of_rank_.insert(processes.begin(), processes.end());
  return reports;
}

void JobHealth::add_calls(JobLook& look, const View& view, const Reports& reports) {
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    if (header.kind != mpi_kind || header.is_continuation()) return;
    const auto process =
        reports.find(is_own_number(header.thread) ? process_of_own_number(header.thread) : 0);
    JobThread* const thread = process == reports.end() ? nullptr : thread_of(look, header.thread);
    if (thread == nullptr) return;
    const std::uint32_t rank = *rank_of(header.thread);
    JobCall call = reader_.read(rank, event);
    call.age = age_of(header, *process->second);
    history_.see(rank, call);
    if (!header.in_flight()) learn_duration(event, *process->second);
    auto& place = header.in_flight() ? thread->in_flight : thread->last;
    if (place && call.age >= place->age) return;
    if (!header.in_flight()) thread->polls = poll_of(event, *process->second);
    place = std::move(call);
  });
}

// What is known of the past says for what they look. A thread that polls now and then, and uses the processor
// meanwhile, does not wait.
void JobHealth::set_polls(JobLook& look, const View& view) const {
  const auto reports = latest_reports(view);
  for (std::uint32_t number = 0; number < look.ranks.size(); ++number) {
    const auto process = process_of_rank_.find(number);
    const auto report = process == process_of_rank_.end() ? reports.end() : reports.find(process->second);
    if (report == reports.end() || has_silent_main(*report->second)) continue;
    for (JobThread& thread : look.ranks[number].threads) {
      if (!polls_only(look.ranks[number], thread)) continue;
      const std::int64_t now_ns = report->second->clock.to_realtime_ns(report->second->now_ticks);
      const JobCall* const poll = polls_.find(thread.thread, nanoseconds(now_ns) - thread.polls->age);
      if (poll == nullptr || poll->awaits.empty()) continue;
      thread.in_flight = *poll;
      thread.in_flight->age = thread.polls->age;
    }
  }
}

bool JobHealth::polls_only(const JobRank& rank, const JobThread& thread) const {
  if (!thread.polls || thread.in_flight || thread.last->age > stall_after_ / 2) return false;
  const bool is_idle = rank.process != JobProcess::hidden && !thread.uses_processor;
  return thread.polls->is_always || is_idle;
}

void JobHealth::learn_duration(std::span<const TraceTuple> event, const ProcessReport& process) {
  const RecordHeader header = header_of(event.back());
  const MpiCallRecord call = mpi_call_of(event.back());
  if (is_immediate(call)) return;
  const double ns = process.clock.ns_between(header.start, header.end);
  limits_.add(call.communicator, std::max(nanoseconds(saturating::round(ns)), nanoseconds(0)));
}

// What the threads of a rank do together: it computes if one of them does.
void JobHealth::add_state(JobLook& look, const ThreadHealth& health, const Reports& reports) {
  const auto process = reports.find(is_own_number(health.thread) ? process_of_own_number(health.thread) : 0);
  JobThread* const thread = process == reports.end() ? nullptr : thread_of(look, health.thread);
  if (thread == nullptr) return;
  thread->uses_processor = health.uses_processor;
  thread->lacks_processor = health.lacks_processor;
  JobRank& rank = look.ranks[*rank_of(health.thread)];
  rank.process = std::min(rank.process, process_of(*process->second, health));
}

// A rank that has returned from MPI_Finalize has left the job, whatever its process does behind it. One whose
// process ended without that has not done its part: the others may wait for it, and the launcher calls it a
// failure. If not all calls are recorded, it may have called MPI_Finalize all the same.
void JobHealth::judge_end(JobLook& look, const HealthReport& report, const Reports& reports) {
  std::set<std::uint32_t> in_part;
  for (const ThreadHealth& health : report.threads) {
    const auto process =
        reports.find(is_own_number(health.thread) ? process_of_own_number(health.thread) : 0);
    const auto rank = rank_of(health.thread);
    if (rank && process != reports.end() && !process->second->collecting.is_complete_for(mpi_kind))
      in_part.insert(*rank);
  }
  for (std::uint32_t number = 0; number < look.ranks.size(); ++number) {
    JobRank& rank = look.ranks[number];
    const bool has_left = has_left_mpi(rank);
    if (rank.process == JobProcess::ended && !has_left && !in_part.contains(number))
      rank.process = JobProcess::dead;
    if (rank.process <= JobProcess::hidden && has_left) rank.process = JobProcess::ended;
  }
}

// MPI_Finalize is called by all ranks, and names no communicator.
void JobHealth::add_members(JobLook& look) {
  const auto learn = [&](std::uint32_t communicator) { (void)communicators_.find(communicator); };
  for (const JobRank& rank : look.ranks) {
    for (const JobThread& thread : rank.threads) {
      if (!thread.in_flight) continue;
      learn(thread.in_flight->communicator);
      for (const AwaitedPart& part : thread.in_flight->awaits) learn(part.communicator);
    }
  }
  std::size_t ranks = look.ranks.size();
  for (const auto& [communicator, members] : communicators_.known()) {
    if (communicators_.find(communicator) == nullptr) continue;
    look.members[communicator] = members.ranks;
    ranks = std::max<std::size_t>(ranks, members.ranks.ranges().back().last + 1);
  }
  constexpr std::size_t most_ranks = 1u << 20;  // members are the word of the job's processes
  look.ranks.resize(std::min(ranks, most_ranks));
  const RankSet all = RankSet::of_range(0, static_cast<std::uint32_t>(look.ranks.size() - 1));
  look.members[MpiCallRecord::no_communicator] = all;
  for (const JobRank& rank : look.ranks) {
    for (const JobThread& thread : rank.threads)
      if (thread.in_flight && communicators_.is_world(thread.in_flight->communicator))
        look.members.try_emplace(thread.in_flight->communicator, all);
  }
}

// --- the past -----------------------------------------------------------------------------------------

bool JobHealth::is_suspect(const JobLook& look) const {
  return std::ranges::any_of(look.ranks, [&](const JobRank& rank) {
    return std::ranges::any_of(rank.threads, [&](const JobThread& thread) {
      if (thread.polls && thread.polls->age >= stall_after_) return true;
      return thread.in_flight && thread.in_flight->age >= stall_after_;
    });
  });
}

void JobHealth::learn_past(Timeline::Time at, nanoseconds patience) {
  if (past_ == nullptr) return history_.miss();
  do learn_from(past_->pull({Deadline::after(patience), false, at}));
  while (timeline_ != nullptr && timeline_->has_rest());
}

void JobHealth::learn_from(const View& view) {
  const Loss& loss = view.loss;
  if (loss.discarded + loss.torn + loss.earlier + loss.emptied > 0 || !view.missing.empty()) history_.miss();
  const Reports reports = latest_reports(view);
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    if (header.kind != mpi_kind || header.in_flight() || header.is_continuation()) return;
    const auto process =
        reports.find(is_own_number(header.thread) ? process_of_own_number(header.thread) : 0);
    const auto rank = rank_of(header.thread);
    const auto current = rank ? process_of_rank_.find(*rank) : process_of_rank_.end();
    if (process == reports.end() || current == process_of_rank_.end() || current->second != process->first)
      return;
    learn_duration(event, *process->second);
    const ClockCalibration& clock = process->second->clock;
    const std::int64_t began_ns = clock.to_realtime_ns(header.start);
    const std::int64_t ended_ns = clock.to_realtime_ns(header.end);
    history_.add(*rank, event, began_ns, ended_ns);
    polls_.add(*rank, header.thread, event, nanoseconds(began_ns), nanoseconds(ended_ns), limits_);
  });
}

// --- what it means for the threads ----------------------------------------------------------------------

bool JobHealth::is_of_earlier_job(const ThreadHealth& health) const {
  const auto rank = is_of_mpi(health) ? rank_of(health.thread) : std::nullopt;
  if (!rank || (health.verdict != Verdict::dead && health.verdict != Verdict::ended)) return false;
  const auto process = process_of_rank_.find(*rank);
  return process == process_of_rank_.end() || process->second != process_of_own_number(health.thread);
}

void JobHealth::apply(const JobLook& look, HealthReport& report) const {
  std::set<std::uint32_t> polling;
  for (const JobRank& rank : look.ranks)
    for (const JobThread& thread : rank.threads)
      if (thread.in_flight && thread.in_flight->is_poll) polling.insert(thread.thread);
  RankSet stalled;
  for (const JobVerdict& verdict : report.job.verdicts)
    stalled = stalled | verdict.culprits | verdict.waiting;
  std::erase_if(report.culprits, [&](const Culprit& culprit) {
    return rank_of(culprit.thread) || is_of_spawned(culprit.thread);
  });
  for (ThreadHealth& health : report.threads) {
    const auto rank = is_of_mpi(health) ? rank_of(health.thread) : std::nullopt;
    if (!rank && !is_of_spawned(health.thread)) continue;
    if (rank && stalled.contains(*rank)) {
      place(health, *rank, report.job);
      if (health.verdict == Verdict::running && polling.contains(health.thread))
        health.verdict = Verdict::stuck;
      continue;
    }
    const bool is_waiting = health.verdict == Verdict::stuck;
    const bool is_apart = health.verdict == Verdict::computing || health.verdict == Verdict::blocked ||
                          health.verdict == Verdict::silent;
    if (is_waiting || is_apart) health.verdict = is_waiting ? Verdict::waiting : Verdict::apart;
  }
  report.stalled =
      static_cast<std::size_t>(std::ranges::count_if(report.threads, [this](const ThreadHealth& health) {
        return is_stalled(health.verdict) && !is_of_earlier_job(health);
      }));
  if (report.job.is_stalled()) report.stalled = std::max<std::size_t>(report.stalled, 1);
}

}  // namespace eventspace
