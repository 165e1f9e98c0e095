#include "monitors/questions/asked_watch.h"

#include <iostream>

#include "monitors/questions/question_options.h"
#include "monitors/watching/reach.h"

namespace eventspace {

namespace {

AskedScope asked_of(const Watched& watched, AskedScope asked) {
  if (watched.recorded != nullptr) asked.finish = nullptr;
  return asked;
}

}  // namespace

AskedWatch::AskedWatch(const WatchOptions& options, const Extent& extent,
                       const std::function<AskedScope(const Plan&)>& ask)
    : options_(options),
      signals_(extent.on_screen ? StopSignals::of_screen() : StopSignals()),
      watched_(find_watched(options.pathmap, options.session, Recordings::accepted)),
      time_(timeline_of(watched_, signals_, {options.played.at, extent.part})),
      consumer_(consumer_of(watched_)),
      views_(open_asked(consumer_, watched_.pathmap, asked_of(watched_, ask(consumer_.plan())))),
      loop_(*time_, limits(extent)),
      pulls_(*time_, consumer_.names()) {}

WatchLoop::Limits AskedWatch::limits(const Extent& extent) const {
  WatchLoop::Limits limits = options_.limits();
  limits.looks = is_recorded() ? extent.looks_at_recording : extent.looks;
  return limits;
}

void AskedWatch::run(const std::function<WatchLoop::Pause()>& look) {
  require_servers(consumer_, tree(), {options_.pathmap, options_.session}, options_.timeout);
  loop_.run(look);
}

View AskedWatch::pull(const Wishes& wishes) {
  return pulls_.pull(views_, {.deadline = pull_deadline(options_.timeout),
                              .with_usage = wishes.with_usage,
                              .with_in_flight = wishes.with_in_flight});
}

int AskedWatch::conclude() const {
  return pulls_.conclude(std::cerr, options_, loop_.elapsed(), consumer_.traffic());
}

}  // namespace eventspace
