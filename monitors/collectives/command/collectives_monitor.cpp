#include "monitors/collectives/command/collectives_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "monitors/cli/command.h"
#include "monitors/collectives/collective_watch.h"
#include "monitors/collectives/command/job_totals_printer.h"
#include "monitors/collectives/command/summary_printer.h"
#include "monitors/collectives/command/summary_report.h"
#include "monitors/collectives/command/totals_printer.h"
#include "monitors/text/counted.h"
#include "monitors/watching/own_pace.h"
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
  screen_.reset();  // restores the terminal for the summary
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
  if (!has_reader || has_enough) return std::nullopt;
  return page_ != nullptr && !has_left_page_ ? show(now) : WatchLoop::Pause(options_.interval);
}

// Waits within the look, since keys and signals must not wait for the end of the pause. After a signal the
// loop reads the remaining events with one more look, which shows nothing.
WatchLoop::Pause CollectivesMonitor::show(Timeline::Time now) {
  if (!page_->is_paused())
    page_->take(
        SummaryReport(*watch_, job_, open_.at_end(watch_->open(), now), pulls_.tally().thinned_text()),
        loop_.since_begin(now));
  if (screen_ == nullptr) screen_ = std::make_unique<top::LiveScreen>(*page_, *signals_, has_colour_);
  if (screen_->wait(own_pause(options_.interval))) return std::chrono::nanoseconds(0);
  has_left_page_ = true;
  return signals_->stopped() ? WatchLoop::Pause(std::chrono::nanoseconds(0)) : std::nullopt;
}

void CollectivesMonitor::show_on_terminal(StopSignals& signals, const top::TerminalKind& kind) {
  if (options_.prints_each()) return;
  signals_ = &signals;
  has_colour_ = options_.colour == ColourUse::automatic ? kind.has_colour : wants_colour(options_.colour);
  page_ = std::make_unique<SummaryPage>("collectives " + options_.pathmap.filename().string(), kind.charset);
}

/// Returns true when as many operations have ended as the user asked for.
bool CollectivesMonitor::print_ended(const std::vector<WatchedCollectives::Operation>& ended,
                                     std::chrono::nanoseconds time) {
  for (const WatchedCollectives::Operation& operation : ended) {
    if (options_.prints_each()) printer_.print(operation, time);
    is_wrong_ = is_wrong_ || operation.report.state == OperationState::broken;
    if (++operations_ == options_.count) return true;
  }
  return false;
}

void CollectivesMonitor::print_open(std::chrono::nanoseconds time) {
  for (const auto& [operation, open_for] : open_.observe(watch_->open(), loop_.now())) {
    if (options_.prints_each()) printer_.print(operation, time, open_for);
  }
}

void CollectivesMonitor::print_end() {
  const Timeline::Time now = loop_.now();
  auto open = open_.at_end(watch_->open(), now);
  is_wrong_ = is_wrong_ || !open.empty();
  if (options_.prints_each()) {
    for (const auto& [operation, open_for] : open)
      printer_.print(operation, loop_.since_begin(now), open_for);
    printer_.flush();
    return;
  }
  if (delays_ != nullptr) delays_->finish();
  if (!options_.total || options_.format == Format::text)
    print_summary(*out_, options_.format,
                  SummaryReport(*watch_, job_, std::move(open), pulls_.tally().thinned_text()),
                  options_.limit);
  if (options_.total)
    print_totals(*out_, options_.format, *watch_, *names_, delays_ == nullptr ? nullptr : &delays_->report(),
                 options_.limit);
  if (options_.total && job_ != nullptr) print_job_totals(*out_, options_.format, *job_, options_.limit);
  out_->flush();
}

void CollectivesMonitor::print_outcomes(std::ostream& out) const {
  for (std::size_t i = 0; i < watch_->size(); ++i) {
    const WatchedCollectives::Collective& collective = watch_->collective(i);
    const std::size_t open = collective.analysis.open().size();
    out << outcomes_of(collective) << (open > 0 ? fmt::format(", {} open at the end\n", open) : "\n");
  }
  if (job_ == nullptr) return;
  if (job_->left_out() > 0)
    out << fmt::format("left out: {} on communicators with unknown members\n",
                       counted(job_->left_out(), "call"));
  if (job_->calls_of_other_jobs() > 0)
    out << fmt::format("left out: {} of spawned jobs\n", counted(job_->calls_of_other_jobs(), "call"));
}

int CollectivesMonitor::conclude(std::ostream& summary, const Link::Counts& traffic) const {
  if (options_.prints_each() && !options_.quiet) print_outcomes(summary);
  if (job_ != nullptr && !options_.quiet) print_end_of(*job_, summary);
  const int status = pulls_.conclude(summary, options_, loop_.elapsed(), traffic);
  if (status != exit_fine) return status;
  return is_wrong_ ? exit_found_wrong : exit_fine;
}

}  // namespace eventspace
