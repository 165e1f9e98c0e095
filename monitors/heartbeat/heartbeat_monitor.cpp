#include "monitors/heartbeat/heartbeat_monitor.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/cli/options.h"
#include "monitors/text/counted.h"

namespace eventspace {

HeartbeatMonitor::HeartbeatMonitor(const Plan& plan, const PlanNames& names, const ScopeTree& tree,
                                   std::chrono::nanoseconds patience, const Settings& settings,
                                   ViewSource& views, Timeline& timeline, std::ostream& out,
                                   FillSource* fills, ViewSource* past)
    : settings_(settings),
      views_(&views),
      fills_(fills),
      analysis_(plan, tree, settings.pace.stall),
      job_(names, settings.pace.stall, past, &timeline),
      printer_(out, settings.format, settings.listing, plan, names, settings.has_colour),
      pace_(settings.pace, patience),
      loop_(timeline, {.duration = settings.duration, .looks = settings.count}),
      pulls_(timeline, names) {}

void HeartbeatMonitor::watch() {
  loop_.run([this] { return look(); });
}

WatchLoop::Pause HeartbeatMonitor::look() {
  const Timeline::Time begun = loop_.now();
  const View view =
      pulls_.pull(*views_, {.deadline = Deadline::after(pace_.timeout()), .with_threads = true});
  const Timeline::Time now = loop_.now();
  pace_.pulled(begun, view);
  judge(view, now, settings_.pace.stall / 8);
  look_at_delays(now);
  printer_.print(report_, view, loop_.since_begin(now));
  if (settings_.until_stall && is_certain_stall(now)) return std::nullopt;
  if (settings_.until_end && is_over(now)) return std::nullopt;
  return pace_.pause(loop_.now());
}

// One job of a session may follow another.
bool HeartbeatMonitor::is_over(Timeline::Time now) {
  if (!report_.has_ended()) ended_since_.reset();
  if (report_.has_ended() && !ended_since_) ended_since_ = now;
  return ended_since_ && now - *ended_since_ >= settings_.pace.stall;
}

// Servers may be late once on a busy machine: threads behind them have not stalled at the first such pull.
bool HeartbeatMonitor::is_certain_stall(Timeline::Time now) {
  const auto hidden = static_cast<std::size_t>(
      std::ranges::count(report_.threads, Verdict::unreachable, &ThreadHealth::verdict));
  if (hidden == 0) hidden_since_.reset();
  if (hidden > 0 && !hidden_since_) hidden_since_ = now;
  if (report_.stalled > hidden) return true;
  return report_.stalled > 0 && hidden_since_ && now - *hidden_since_ >= settings_.pace.stall;
}

// A host of elements that does not answer must not delay the report of a stall (HeartbeatPace).
void HeartbeatMonitor::judge(const View& view, Timeline::Time now, std::chrono::nanoseconds patience) {
  report_ = analysis_.observe(view, now);
  if (settings_.judges_jobs)
    job_.judge(view, now, std::max<std::chrono::nanoseconds>(patience, std::chrono::milliseconds(50)),
               report_);
  if (fills_ != nullptr && !report_.element_waits.empty()) fills_->fill(report_.element_waits, patience);
  if (stacks_ != nullptr) report_.stacks = stacks_of_culprits(report_, view, *stacks_);
}

// A late report of a stall would be worse than a pull that misses some events.
void HeartbeatMonitor::look_at_delays(Timeline::Time now) {
  if (delays_ == nullptr) return;
  const auto patience = std::clamp<std::chrono::nanoseconds>(
      settings_.pace.stall / 8, std::chrono::milliseconds(50), std::chrono::milliseconds(250));
  delays_->look(now, Deadline::after(patience));
  report_.delays = delays_->report();
}

// The result of wait() is ignored: a signal shortens the pause, but the second view is still printed.
void HeartbeatMonitor::look_once() {
  const auto pull = [this] {
    return pulls_.pull(*views_, {.deadline = pull_deadline(settings_.pace.timeout), .with_threads = true});
  };
  analysis_.observe(pull(), loop_.now());
  (void)loop_.wait(std::chrono::milliseconds(250));
  const View view = pull();
  const Timeline::Time now = loop_.now();
  judge(view, now, std::chrono::seconds(1));
  look_at_delays(now);
  if (delays_ != nullptr) {
    delays_->finish();
    report_.delays = delays_->report();
  }
  printer_.print(report_, view, loop_.since_begin(now));
}

void HeartbeatMonitor::conclude(std::ostream& out, bool verbose, const Link::Counts& traffic) const {
  const WatchTally& tally = pulls_.tally();
  if (verbose) {
    const double seconds = std::max(std::chrono::duration<double>(loop_.elapsed()).count(), 1e-9);
    out << fmt::format("{} in {:.1f} s ({:.1f} a second), {} partial\n", counted(tally.pulls, "pull"),
                       seconds, static_cast<double>(tally.pulls) / seconds, tally.partial_pulls);
    tally.print_losses(out);
    pulls_.cost().print(out, traffic);
  } else if (const std::string lost = tally.incomplete(pulls_.timeline().is_recorded()); !lost.empty()) {
    out << lost << '\n';
  }
}

}  // namespace eventspace
