#include "monitors/watching/watch_pulls.h"

#include <algorithm>

#include "monitors/cli/command.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/reach.h"

namespace eventspace {

View WatchPulls::pull(ViewSource& views, const EventScope::Options& options) {
  View view = pull_beside(views, options);
  count(view);
  return view;
}

void WatchPulls::count(const View& view) {
  tally_.add(view, *names_);
  if (reads_rest_) rest_.note(view);
}

// If a pull has passed fewer events than it may take of one trace element, it has left none behind.
WatchLoop::Rest WatchPulls::rest_of(const ScopeTree& tree, PullNewest newest) {
  reads_rest_ = true;
  const std::uint64_t few = tree.most == 0 ? tree.batch : std::min<std::uint64_t>(tree.batch, tree.most);
  return {.find_end = [this, newest = std::move(newest)] { rest_.set_end(newest({.at = timeline_->now()})); },
          .count = [this] { return rest_.count(); },
          .is_behind = [this, few] { return rest_.passed_last() >= few; }};
}

View WatchPulls::pull_beside(ViewSource& views, EventScope::Options options) {
  options.at = timeline_->now();
  const WatchCost::Clock::time_point before = WatchCost::Clock::now();
  View view = views.pull(options);
  cost_.count(view, WatchCost::Clock::now() - before);
  return view;
}

View WatchPulls::pull_waiting(ViewSource& views, EventScope::Options options) const {
  options.at = timeline_->now();
  return views.pull(options);
}

int WatchPulls::conclude(std::ostream& out, const WatchOptions& options, std::chrono::nanoseconds elapsed,
                         const Link::Counts& traffic) const {
  WatchTally tally = tally_;
  tally.unread = rest_.count();
  if (options.verbose) {
    tally.print(out, elapsed);
    cost_.print(out, traffic);
  } else if (const std::string lost = tally.incomplete(timeline_->is_recorded());
             !lost.empty() && !options.quiet) {
    out << lost << '\n';
  }
  if (!options.quiet && tally_.events == 0)
    print_message(next_step(tally_.found(), timeline_->is_recorded(), {options.pathmap, options.session}));
  return tally_.saw_nothing() ? exit_unreachable : exit_fine;
}

}  // namespace eventspace
