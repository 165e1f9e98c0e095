#include <algorithm>
#include <chrono>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/observing/monitor_state.h"
#include "scopes/columns/events_state.h"
#include "scopes/tree/newest_of_each.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

// The fewest records with which a part of the tree has reached its limit.
std::uint64_t least_full(const ScopeTree& tree, const ScopeNode& node) {
  const std::uint64_t share = share_of(node, tree.most, weight_of(tree.root));
  if (node.children.empty()) return share == 0 ? tree.batch : std::min<std::uint64_t>(tree.batch, share);
  std::uint64_t least = tree.batch;
  for (const ScopeNode& child : node.children) least = std::min(least, least_full(tree, child));
  return least;
}

// Also counts the records that wrappers have dropped.
std::uint64_t records_read(const View& view) {
  const Loss& loss = view.loss;
  return view.record_count() + loss.torn + loss.filtered + loss.reduced + loss.repeated + loss.failed;
}

Deadline half_of(Deadline whole) {
  return whole.is_never() || whole.is_now() ? whole : Deadline::after(whole.left() / 2);
}

// Sources that are missing in both views are named once.
void add_missing(std::vector<Missing>& all, std::vector<Missing> others) {
  for (Missing& other : others) {
    const auto is_same = [&](const Missing& one) { return one.node == other.node && one.what == other.what; };
    if (std::ranges::none_of(all, is_same)) all.push_back(std::move(other));
  }
}

}  // namespace

Scope::State::State(std::shared_ptr<Monitor::State> of_monitor, EventScope scope, bool with_in_flight)
    : monitor_(std::move(of_monitor)),
      views_(std::move(scope)),
      least_full_(least_full(views_.tree(), views_.tree().root)),
      clocks_(std::make_shared<RecordClocks>(*monitor_->names, monitor_->realtime_ns)) {
  if (with_in_flight && views_.tree().next)
    newest_.emplace(monitor_->consumer.open(as_of_newest(views_.tree())));
}

void Scope::State::learn(const View& view) {
  if (view.processes.empty()) return;
  if (clocks_.use_count() > 1) clocks_ = std::make_shared<RecordClocks>(*clocks_);
  clocks_->learn(view);
}

// Events in flight are read first: an event that ends in between is then also among the others, and is
// dropped here, but never missing. This takes at most half of the time.
View Scope::State::pull(std::optional<Deadline> deadline, std::optional<std::int64_t> at,
                        const Wishes& wishes) {
  EventScope::Options options{.deadline = deadline.value_or(Deadline::after(timeout())),
                              .with_usage = wishes.with_usage,
                              .with_in_flight = wishes.with_in_flight};
  if (Replay* const replay = monitor_->replay()) {
    const std::int64_t now = std::clamp(at.value_or(replay->end_ns()), replay->begin_ns(), replay->end_ns());
    replay->set_now_ns(now);
    options.at = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(now));
    options.deadline = Deadline::never();
  }
  std::vector<TraceTuple> in_flight;
  std::vector<Missing> missing;
  if (newest_) {
    EventScope::Options first = options;
    first.deadline = half_of(*options.deadline);
    View newest = newest_->pull(first);
    learn(newest);
    in_flight = in_flight_.take(newest);
    missing = std::move(newest.missing);
  }
  View view = views_.pull(options);
  may_have_rest_ = views_.tree().next && records_read(view) >= least_full_;
  learn(view);
  EventsInFlight::drop_ended(in_flight, view.records.whole());
  view.records.append(Records(std::move(in_flight)));
  add_missing(view.missing, std::move(missing));
  return view;
}

std::int64_t Scope::State::of_recorder(std::int64_t realtime_ns) const {
  if (monitor_->replay() == nullptr)
    throw ConfigurationError("pull_at needs a recording; a running session is read as it is now");
  return saturating::subtract(realtime_ns, monitor_->realtime_ns);
}

bool Scope::State::take_rest() {
  Replay* const replay = monitor_->replay();
  return replay == nullptr ? std::exchange(may_have_rest_, false) : replay->take_unread();
}

Events Scope::State::events(View&& view, bool has_more) const {
  return events_of(std::move(view), monitor_->names, clocks_, has_more);
}

Scope::Scope(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Scope::~Scope() = default;
Scope::Scope(Scope&& other) noexcept = default;
Scope& Scope::operator=(Scope&& other) noexcept = default;

const std::string& Scope::name() const noexcept { return state_->name(); }

Events Scope::pull() {
  View view = state_->pull(std::nullopt, std::nullopt);
  return state_->events(std::move(view), state_->take_rest());
}

Events Scope::pull(Deadline deadline) {
  View view = state_->pull(deadline, std::nullopt);
  return state_->events(std::move(view), state_->take_rest());
}

Events Scope::pull_at(std::int64_t realtime_ns) {
  View view = state_->pull(std::nullopt, state_->of_recorder(realtime_ns));
  return state_->events(std::move(view), state_->take_rest());
}

}  // namespace eventspace
