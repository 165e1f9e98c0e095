#include "monitors/delays/delay_watch.h"

#include <algorithm>
#include <cmath>

#include <eventspace/error.h>
#include "pathmaps/questions/question_scope.h"

namespace eventspace {

using std::chrono::steady_clock;

std::optional<ScopeTree> delay_scope(const std::filesystem::path& pathmap, const Plan& plan) {
  if (!plan.has_pathmap) return std::nullopt;
  try {
    return narrowed_scope(scope_of_everything(pathmap, plan, {.name = "events"}), plan, {}, false);
  } catch (const ConfigurationError&) {  // nothing is recorded
    return std::nullopt;
  }
}

DelayWatch::DelayWatch(Consumer& consumer, const ScopeTree& tree, const Settings& settings)
    : unread_(consumer.open(tree)),
      batch_(tree.batch),
      settings_(settings),
      delays_(consumer.plan(), consumer.names()) {}

std::unique_ptr<DelayWatch> DelayWatch::on_paths(Consumer& consumer, const std::filesystem::path& pathmap,
                                                 const Settings& settings,
                                                 std::optional<std::chrono::nanoseconds> since) {
  auto tree = delay_scope(pathmap, consumer.plan());
  if (!tree) return nullptr;
  if (since) tree->since = since;
  return std::make_unique<DelayWatch>(consumer, *tree, settings);
}

void DelayWatch::look(Timeline::Time now, std::optional<Deadline> limit) {
  constexpr int max_pulls = 100;
  constexpr int share_of_time = 20;
  constexpr double half_life_s = 30;
  const auto begun = steady_clock::now();
  if (settings_.is_paced && begun < next_) return;
  bool is_drained = false;
  for (int pulls = 0; pulls < max_pulls && !is_drained && !(limit && limit->passed()); ++pulls) {
    const View view = unread_.pull({.deadline = limit, .at = now});
    delays_.add(view);
    is_drained = view.records.size() < batch_;
  }
  if (is_drained) delays_.settle();
  if (last_) {
    const double seconds = std::chrono::duration<double>(now - *last_).count();
    if (settings_.fades && seconds > 0) delays_.origins().fade(std::exp2(-seconds / half_life_s));
  }
  last_ = now;
  report_ = report_delays(delays_.origins());
  const auto ended = steady_clock::now();
  next_ = ended + share_of_time * (ended - begun);
}

void DelayWatch::finish() {
  delays_.finish();
  report_ = report_delays(delays_.origins());
}

}  // namespace eventspace
