#include "monitors/collectives/collectives_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "monitors/cli/command.h"
#include "monitors/collectives/collective_watch.h"
#include "monitors/collectives/job_totals_printer.h"
#include "monitors/collectives/totals_printer.h"
#include "monitors/text/counted.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

// Programs without a pathmap that have collective operations are MPI jobs.
std::unique_ptr<WatchedCollectives> make_watch(const Plan& plan, const PlanNames& names,
                                               const ScopeTree& tree, const CollectivesOptions& options) {
  if (!plan.has_pathmap)
    return std::make_unique<MpiCollectives>(names, options.collectives, options.analysis);
  return std::make_unique<CollectiveWatch>(plan, names, tree, options.collectives, options.analysis);
}

void print_end_of(const MpiCollectives& job, std::ostream& out) {
  const auto [seen, finalized] = job.ranks();
  if (finalized.empty()) return;
  const RankSet rest = seen - finalized;
  if (rest.empty())
    out << fmt::format("the job has ended: all {} have returned from MPI_Finalize\n",
                       counted(seen.size(), "rank"));
  else
    out << fmt::format("{} of {} have returned from MPI_Finalize, but not {} {}\n", finalized.size(),
                       counted(seen.size(), "rank"), rest.size() == 1 ? "rank" : "ranks", rest.to_text(200));
}

}  // namespace

CollectivesMonitor::CollectivesMonitor(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                                       const CollectivesOptions& options, ViewSource& views,
                                       ViewSource& newest, Timeline& timeline, std::ostream& out)
    : options_(options),
      names_(&names),
      out_(&out),
      views_(&views),
      newest_(&newest),
      watch_(make_watch(plan, names, tree, options)),
      job_(plan.has_pathmap ? nullptr : static_cast<const MpiCollectives*>(watch_.get())),
      printer_(out, options.format, options.views, *watch_),
      loop_(timeline, options.limits()),
      pulls_(timeline, names),
      open_(options.open_after) {
  if (tree.next)
    loop_.read_rest(
        pulls_.rest_of(tree, [this](const EventScope::Options& at) { return newest_->pull(at); }));
}

void CollectivesMonitor::watch() {
  loop_.run([this] { return look(); });
  print_end();
}

// Returns no pause, which ends the loop, after enough operations or when the output has failed.
WatchLoop::Pause CollectivesMonitor::look() {
  std::vector<WatchedCollectives::Operation> ended;
  do {
    const View view = pulls_.pull(*views_, {.deadline = pull_deadline(options_.timeout)});
    pulls_.tally().events += count_events(view.records.whole()) + view.loss.reduced;
    auto more = watch_->observe(view, loop_.now());
    std::ranges::move(more, std::back_inserter(ended));
    if (delays_ != nullptr) delays_->look(loop_.now(), pull_deadline(options_.timeout));
  } while (loop_.has_rest());
  const Timeline::Time now = loop_.now();
  if (ended.empty())
    watch_->observe_under_way(pulls_.pull_beside(*newest_, {.deadline = pull_deadline(options_.timeout)}));
  const bool has_enough = print_ended(ended, loop_.since_begin(now));
  if (!has_enough) print_open(loop_.since_begin(now));
  const bool has_reader = flush();
  return has_reader && !has_enough ? WatchLoop::Pause(options_.interval) : std::nullopt;
}

/// Returns true when as many operations are printed as the user asked for.
bool CollectivesMonitor::print_ended(const std::vector<WatchedCollectives::Operation>& ended,
                                     std::chrono::nanoseconds time) {
  for (const WatchedCollectives::Operation& operation : ended) {
    if (!options_.total) printer_.print(operation, time);
    is_wrong_ = is_wrong_ || operation.report.state == OperationState::broken;
    if (++operations_ == options_.count) return true;
  }
  return false;
}

void CollectivesMonitor::print_open(std::chrono::nanoseconds time) {
  for (const auto& [operation, open_for] : open_.observe(watch_->open(), loop_.now())) {
    if (!options_.total) printer_.print(operation, time, open_for);
  }
}

void CollectivesMonitor::print_end() {
  const Timeline::Time now = loop_.now();
  for (const auto& [operation, open_for] : open_.at_end(watch_->open(), now)) {
    is_wrong_ = true;
    if (!options_.total) printer_.print(operation, loop_.since_begin(now), open_for);
  }
  flush();
  if (delays_ != nullptr) delays_->finish();
  if (options_.total)
    print_totals(*out_, options_.format, *watch_, *names_, delays_ == nullptr ? nullptr : &delays_->report(),
                 options_.limit);
  if (options_.total && job_ != nullptr) print_job_totals(*out_, options_.format, *job_, options_.limit);
  out_->flush();
}

int CollectivesMonitor::conclude(std::ostream& summary, const Link::Counts& traffic) const {
  for (std::size_t i = 0; i < watch_->size() && !options_.quiet; ++i) {
    const WatchedCollectives::Collective& collective = watch_->collective(i);
    const std::size_t open = collective.analysis.open().size();
    summary << outcomes_of(collective) << (open > 0 ? fmt::format(", {} open at the end\n", open) : "\n");
  }
  if (job_ != nullptr && job_->left_out() > 0 && !options_.quiet)
    summary << fmt::format("left out: {} on communicators with unknown members\n",
                           counted(job_->left_out(), "call"));
  if (job_ != nullptr && job_->calls_of_other_jobs() > 0 && !options_.quiet)
    summary << fmt::format("left out: {} of spawned jobs\n", counted(job_->calls_of_other_jobs(), "call"));
  if (job_ != nullptr && !options_.quiet) print_end_of(*job_, summary);
  const int status = pulls_.conclude(summary, options_, loop_.elapsed(), traffic);
  if (status != exit_fine) return status;
  return is_wrong_ ? exit_found_wrong : exit_fine;
}

}  // namespace eventspace
