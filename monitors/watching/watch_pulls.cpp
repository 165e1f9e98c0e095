#include "monitors/watching/watch_pulls.h"

#include "monitors/cli/command.h"
#include "monitors/text/plain_output.h"
#include "monitors/watching/reach.h"

namespace eventspace {

View WatchPulls::pull(ViewSource& views, EventScope::Options options) {
  View view = pull_beside(views, options);
  count(view);
  return view;
}

View WatchPulls::pull_beside(ViewSource& views, EventScope::Options options) {
  options.at = timeline_->now();
  return cost_.pull(views, options);
}

View WatchPulls::pull_waiting(ViewSource& views, EventScope::Options options) const {
  options.at = timeline_->now();
  return views.pull(options);
}

int WatchPulls::conclude(std::ostream& out, const WatchOptions& options, std::chrono::nanoseconds elapsed,
                         const Link::Counts& traffic) const {
  if (!options.quiet) tally_.print(out, elapsed);
  if (!options.quiet && tally_.events == 0)
    print_message(next_step(tally_.found(), timeline_->is_recorded(), {options.pathmap, options.session}));
  if (options.cost) cost_.print(out, traffic);
  return tally_.saw_nothing() ? exit_unreachable : exit_fine;
}

}  // namespace eventspace
