#include "monitors/heartbeat/job_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "scopes/tree/local_ids.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

std::unordered_map<std::uint32_t, const ProcessReport*> latest_reports(const View& view) {
  std::unordered_map<std::uint32_t, const ProcessReport*> latest;
  for (const ProcessReport& report : view.processes) {
    const ProcessReport*& known = latest[report.process];
    if (known == nullptr || report.start_ticks >= known->start_ticks) known = &report;
  }
  return latest;
}

void place(ThreadHealth& health, const JobMember& member, const JobReport& report) {
  for (std::size_t i = 0; i < report.verdicts.size() && !health.job_verdict; ++i) {
    const JobVerdict& verdict = report.verdicts[i];
    if (verdict.job != member.job) continue;
    health.is_job_culprit = verdict.culprits.contains(member.rank);
    if (health.is_job_culprit || verdict.waiting.contains(member.rank)) health.job_verdict = i;
  }
}

// The time at which the newest event of each process began or ended, in nanoseconds since 1970.
std::unordered_map<std::uint32_t, std::int64_t> newest_events(
    const View& view, const std::unordered_map<std::uint32_t, const ProcessReport*>& reports) {
  std::unordered_map<std::uint32_t, std::int64_t> newest;
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind != mpi_kind || !is_local_id(header.thread)) continue;
    const auto process = reports.find(process_of_local_id(header.thread));
    if (process == reports.end()) continue;
    const std::int64_t at =
        process->second->clock.to_realtime_ns(header.in_flight() ? header.start : header.end);
    const auto [known, is_new] = newest.try_emplace(process->first, at);
    if (!is_new) known->second = std::max(known->second, at);
  }
  return newest;
}

bool is_call(const RecordHeader& header) { return header.kind == mpi_kind && !header.is_continuation(); }

void move_to(std::vector<JobVerdict>& all, std::vector<JobVerdict> some) {
  for (JobVerdict& one : some) all.push_back(std::move(one));
}

}  // namespace

bool is_of_mpi(const ThreadHealth& health) noexcept {
  return (health.in_flight && health.in_flight->kind == mpi_kind) ||
         (health.last && health.last->kind == mpi_kind);
}

JobHealth::JobHealth(const PlanNames& names, nanoseconds stall_after, ViewSource* past, Timeline* timeline)
    : names_(&names), stall_after_(stall_after), past_(past), timeline_(timeline) {}

void JobHealth::judge(const View& view, Timeline::Time at, nanoseconds patience, HealthReport& report) {
  if (std::ranges::none_of(report.threads, is_of_mpi)) return;
  look(view, report);
  const auto is_suspect = [](const auto& entry) { return entry.second.is_suspect(); };
  if (std::ranges::any_of(jobs_, is_suspect)) learn_past(at, patience);
  for (auto& entry : jobs_)
    if (entry.second.is_suspect()) entry.second.complete();
  report.job = judge_all(view.missing.empty());
  report.finalized_ranks = 0;
  for (const auto& entry : jobs_) report.finalized_ranks += entry.second.finalized_ranks();
  apply(report);
}

// --- the look -----------------------------------------------------------------------------------------

std::optional<JobMember> JobHealth::member_of(std::uint32_t thread) const {
  if (!is_local_id(thread)) return std::nullopt;
  return names_->member_of_process(process_of_local_id(thread));
}

// Returns null if there is no room for the job.
WatchedJob* JobHealth::job_of(std::uint32_t number) {
  if (const auto known = jobs_.find(number); known != jobs_.end()) return &known->second;
  if (jobs_.size() >= max_jobs) return nullptr;
  return &jobs_.try_emplace(number, *names_, stall_after_, number).first->second;
}

void JobHealth::look(const View& view, const HealthReport& report) {
  begin(view);
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    const auto member = is_call(header) ? member_of(header.thread) : std::nullopt;
    const auto job = member ? jobs_.find(member->job) : jobs_.end();
    if (job != jobs_.end()) job->second.add_call(member->rank, process_of_local_id(header.thread), event);
  });
  for (const ThreadHealth& health : report.threads) {
    const auto member = member_of(health.thread);
    const auto job = member ? jobs_.find(member->job) : jobs_.end();
    if (job != jobs_.end()) job->second.add_thread(member->rank, process_of_local_id(health.thread), health);
  }
  for (auto& entry : jobs_) entry.second.finish();
}

// Jobs without a reported process are forgotten.
void JobHealth::begin(const View& view) {
  const auto latest = latest_reports(view);
  const auto newest = newest_events(view, latest);
  std::map<std::uint32_t, WatchedJob::Reports> reports;
  left_out_.clear();
  has_more_ = false;
  for (const auto& [process, report] : latest)
    if (const auto member = names_->member_of_process(process)) reports[member->job].emplace(process, report);
  std::erase_if(jobs_, [&](const auto& entry) { return !reports.contains(entry.first); });
  for (auto& [number, of_job] : reports) {
    if (WatchedJob* const job = job_of(number))
      job->begin(std::move(of_job), newest, reports.size() > 1);
    else if (left_out_.size() < max_jobs)
      left_out_.emplace(number, of_job.size());
    else
      has_more_ = true;
  }
}

// --- the past -----------------------------------------------------------------------------------------

void JobHealth::learn_past(Timeline::Time at, nanoseconds patience) {
  if (past_ == nullptr) {
    for (auto& entry : jobs_) entry.second.miss();
    return;
  }
  do learn_from(past_->pull({Deadline::after(patience), false, at}));
  while (timeline_ != nullptr && timeline_->has_rest());
}

void JobHealth::learn_from(const View& view) {
  const Loss& loss = view.loss;
  const bool is_whole = loss.discarded + loss.torn + loss.earlier + loss.emptied == 0 && view.missing.empty();
  const auto reports = latest_reports(view);
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    if (!is_call(header) || header.in_flight()) return;
    const auto member = member_of(header.thread);
    const auto report = member ? reports.find(process_of_local_id(header.thread)) : reports.end();
    if (report == reports.end()) return;
    if (WatchedJob* const job = job_of(member->job)) job->learn(member->rank, event, *report->second);
  });
  if (is_whole) return;
  for (auto& entry : jobs_) entry.second.miss();
}

// --- the verdicts -------------------------------------------------------------------------------------

JobReport JobHealth::judge_all(bool is_whole) const {
  JobReport report;
  report.is_still = is_whole && left_out_.empty();
  for (const auto& [number, job] : jobs_)
    if (!job.look().ranks.empty()) judge_one(number, job, report);
  for (const auto& entry : left_out_) report.jobs.push_back(summary_of(entry.first, nullptr));
  std::ranges::sort(report.jobs, {}, &JobSummary::job);
  if (report.is_still && report.verdicts.empty())
    move_to(report.verdicts, std::exchange(report.unfollowed, {}));
  for (auto* const verdicts : {&report.verdicts, &report.unfollowed}) {
    for (JobVerdict& verdict : *verdicts) verdict.is_of_several = report.jobs.size() > 1;
    std::ranges::stable_sort(*verdicts, std::greater(),
                             [](const JobVerdict& verdict) { return verdict.waiting.size(); });
  }
  return report;
}

void JobHealth::judge_one(std::uint32_t number, const WatchedJob& job, JobReport& report) const {
  report.jobs.push_back(summary_of(number, &job));
  report.ranks += report.jobs.back().ranks;
  if (!report.jobs.back().not_judged.empty()) {
    report.is_still = false;
    return;
  }
  JobReport one = job.judge();
  for (auto* const verdicts : {&one.verdicts, &one.unfollowed})
    for (JobVerdict& verdict : *verdicts) verdict.job = number;
  report.is_still = report.is_still && one.is_still;
  move_to(report.verdicts, std::move(one.verdicts));
  move_to(report.unfollowed, std::move(one.unfollowed));
}

JobSummary JobHealth::summary_of(std::uint32_t number, const WatchedJob* job) const {
  JobSummary summary{.job = number};
  summary.ranks = job == nullptr ? left_out_.at(number) : job->look().ranks.size();
  if (summary.is_spawned()) summary.parent = JobMember::parse(names_->parent_of_job(number));
  summary.is_parent_seen = summary.parent && is_seen(*summary.parent);
  if (job == nullptr) {
    summary.not_judged = fmt::format("there are more than {} jobs at the same time{}", max_jobs,
                                     has_more_ ? "; some are not listed" : "");
  } else if (job->doubled_rank() && summary.is_spawned()) {
    summary.not_judged =
        fmt::format("two processes have rank {}, so several jobs share this number", *job->doubled_rank());
  }
  return summary;
}

bool JobHealth::is_seen(const JobMember& member) const {
  const auto job = jobs_.find(member.job);
  return job != jobs_.end() && job->second.has_rank(member.rank);
}

// --- the threads ----------------------------------------------------------------------------------------

bool JobHealth::is_of_earlier_job(const ThreadHealth& health) const {
  const auto member = is_of_mpi(health) ? member_of(health.thread) : std::nullopt;
  if (!member || (health.verdict != Verdict::dead && health.verdict != Verdict::ended)) return false;
  const auto job = jobs_.find(member->job);
  return job != jobs_.end() && !job->second.is_of_rank(member->rank, process_of_local_id(health.thread));
}

std::set<std::uint32_t> JobHealth::polling_threads() const {
  std::set<std::uint32_t> polling;
  for (const auto& entry : jobs_)
    for (const JobRank& rank : entry.second.look().ranks)
      for (const JobThread& thread : rank.threads)
        if (thread.in_flight && thread.in_flight->is_poll) polling.insert(thread.thread);
  return polling;
}

void JobHealth::apply(HealthReport& report) const {
  const std::set<std::uint32_t> polling = polling_threads();
  std::map<std::uint32_t, RankSet> stalled;  // by job
  for (const JobVerdict& verdict : report.job.verdicts)
    stalled[verdict.job] = stalled[verdict.job] | verdict.culprits | verdict.waiting;
  std::erase_if(report.culprits,
                [&](const Culprit& culprit) { return member_of(culprit.thread).has_value(); });
  for (ThreadHealth& health : report.threads) {
    const auto member = is_of_mpi(health) ? member_of(health.thread) : std::nullopt;
    if (!member) continue;
    if (stalled[member->job].contains(member->rank)) {
      place(health, *member, report.job);
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
