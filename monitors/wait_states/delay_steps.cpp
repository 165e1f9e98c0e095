#include "monitors/wait_states/delay_steps.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace eventspace {
namespace {

/// A part that a call has in a dependency or a meeting: it gives a signal or awaits one.
struct SignalRole {
  enum class What : std::uint8_t { gives_at_begin, awaits, gives_at_end };
  std::uint64_t call{0};
  What what{What::awaits};
  WaitKind kind{WaitKind::late_sender};
  ActivityRef cause{};  // of a dependency that is awaited
  bool is_meeting{false};
  DelaySignal signal{};
};

class StepMaker {
 public:
  StepMaker(const RunActivities& run, const WaitStates& found, DelayOrigins& origins)
      : run_(&run), found_(&found), origins_(&origins), roles_(run.locations()), next_(run.locations()) {}

  void add() {
    add_dependencies();
    add_meetings();
    for (auto& roles : roles_)
      std::ranges::stable_sort(roles, {},
                               [](const SignalRole& role) { return std::pair(role.call, role.what); });
    begin_together();
    add_by_time();
    origins_->give_up_all();
  }

 private:
  using Channel = std::tuple<bool, WaitKind, std::uint32_t, std::uint32_t>;
  struct Channels {
    std::uint64_t number{0};
    std::uint64_t signals{0};
    std::vector<std::uint32_t> givers{}, takers{};
  };

  Channels& channel_of(const Channel& key) {
    const auto [known, is_new] = channels_.try_emplace(key);
    if (is_new) known->second.number = channels_.size();
    return known->second;
  }

  // Signals of a channel are numbered in the order in which its only giver gives them.
  void add_dependencies() {
    std::vector<const Dependency*> ordered;
    for (const Dependency& one : run_->dependencies()) ordered.push_back(&one);
    std::ranges::stable_sort(ordered, {}, [](const Dependency* one) { return one->cause; });
    for (const Dependency* const one : ordered) {
      if (one->waiting.location == one->cause.location || !is_awaited(*one)) continue;
      Channels& channel = channel_of({false, one->kind, one->cause.location, one->waiting.location});
      if (channel.signals == 0) {
        channel.givers = {one->cause.location};
        channel.takers = {one->waiting.location};
      }
      const DelaySignal signal{channel.number, ++channel.signals};
      roles_[one->cause.location].push_back(
          {.call = one->cause.number,
           .what = one->needs_end ? SignalRole::What::gives_at_end : SignalRole::What::gives_at_begin,
           .signal = signal});
      roles_[one->waiting.location].push_back(
          {.call = one->waiting.number, .kind = one->kind, .cause = one->cause, .signal = signal});
    }
  }

  // A cause that comes after the end of the call was not awaited.
  [[nodiscard]] bool is_awaited(const Dependency& one) const {
    const Activity* const waiting = run_->find(one.waiting);
    const Activity* const cause = run_->find(one.cause);
    if (waiting == nullptr || cause == nullptr || waiting->is_in_flight) return false;
    return one.needs_end || cause->begin_ns <= waiting->end_ns;
  }

  void add_meetings() {
    for (const Meeting& meeting : run_->meetings()) {
      if (meeting.kind == WaitKind::startup) continue;
      Channels& channel = channel_of({true, meeting.kind, meeting.group, 0});
      const DelaySignal signal{channel.number, ++channel.signals};
      if (channel.signals == 1) origins_->expect(channel.number, meeting.members.size());
      for (const Meeting::Member& member : meeting.members) {
        if (channel.signals == 1) channel.givers.push_back(member.comes.location);
        if (channel.signals == 1 && member.waits) channel.takers.push_back(member.leaves.location);
        roles_[member.comes.location].push_back(
            {.call = member.comes.number, .what = SignalRole::What::gives_at_begin, .signal = signal});
        if (!member.waits) continue;
        roles_[member.leaves.location].push_back(
            {.call = member.leaves.number, .kind = meeting.kind, .is_meeting = true, .signal = signal});
      }
    }
  }

  // --- the steps ------------------------------------------------------------------------------------------

  [[nodiscard]] std::optional<std::int64_t> begin_of(std::uint32_t location) const {
    const auto& calls = run_->activities(location);
    if (calls.empty() || calls.front().follows_gap) return std::nullopt;
    return starts_.contains(location) ? calls.front().end_ns : calls.front().begin_ns;
  }

  void begin_together() {
    for (const Meeting& meeting : run_->meetings()) {
      if (meeting.kind != WaitKind::startup) continue;
      for (const Meeting::Member& member : meeting.members) starts_.insert(member.comes.location);
    }
    for (const auto& [key, channel] : channels_) {
      const DelaySignal signal{channel.number, 0};
      const auto has_begin = [this](std::uint32_t location) { return begin_of(location).has_value(); };
      if (!std::ranges::all_of(channel.givers, has_begin) || !std::ranges::all_of(channel.takers, has_begin))
        continue;
      for (const std::uint32_t giver : channel.givers) add_step(giver, *begin_of(giver), signal, true);
      for (const std::uint32_t taker : channel.takers) add_step(taker, *begin_of(taker), signal, false);
    }
  }

  // A step without a duration.
  void add_step(std::uint32_t location, std::int64_t ns, const DelaySignal& signal, bool gives) {
    DelayStep step = step_of(location, ns, ns);
    (gives ? step.gives : step.awaits) = signal;
    step.is_last_to_await = false;
    add(step);
  }

  [[nodiscard]] DelayStep step_of(std::uint32_t location, std::int64_t begin, std::int64_t end) const {
    return {.thread = location, .begin = run_->moment(location, begin), .end = run_->moment(location, end)};
  }

  void add(DelayStep step) {
    if (gaps_.erase(step.thread) > 0) step.follows_gap = true;
    origins_->add(step);
  }

  // Steps come nearly in the order of their ends, so that few of them have to be kept until another
  // location's signal comes.
  void add_by_time() {
    using Next = std::pair<std::int64_t, std::uint32_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> due;
    std::vector<std::size_t> place(run_->locations());
    for (std::uint32_t location = 0; location < run_->locations(); ++location)
      if (!run_->activities(location).empty()) due.emplace(run_->activities(location)[0].end_ns, location);
    while (!due.empty()) {
      const std::uint32_t location = due.top().second;
      due.pop();
      const auto& calls = run_->activities(location);
      add_call(location, run_->first_of(location) + place[location], calls[place[location]]);
      if (++place[location] < calls.size()) due.emplace(calls[place[location]].end_ns, location);
    }
  }

  void add_call(std::uint32_t location, std::uint64_t number, const Activity& call) {
    if (call.follows_gap) gaps_.insert(location);
    const auto& roles = roles_[location];
    std::size_t& next = next_[location];
    const std::optional<std::size_t> wait = wait_of(location, number);
    bool has_waited = false;
    for (; next < roles.size() && roles[next].call <= number; ++next) {
      const SignalRole& role = roles[next];
      if (role.call < number) continue;  // of a dropped call
      if (role.what != SignalRole::What::awaits) {
        const bool is_begin = role.what == SignalRole::What::gives_at_begin;
        add_step(location, is_begin ? call.begin_ns : call.end_ns, role.signal, true);
      } else if (wait && !has_waited && is_of(role, found_->waits[*wait])) {
        DelayStep step = step_of(location, call.begin_ns, call.end_ns);
        step.awaits = role.signal;
        step.is_last_to_await = false;
        step.tag = *wait;
        add(step);
        has_waited = true;
      } else {
        others_.push_back(role.signal);
      }
    }
    for (const DelaySignal& signal : others_) add_step(location, call.end_ns, signal, false);
    others_.clear();
  }

  static bool is_of(const SignalRole& role, const WaitState& wait) {
    return role.kind == wait.kind && (role.is_meeting || role.cause == wait.cause);
  }

  // The calls of a location come in their order, as do its waits.
  std::optional<std::size_t> wait_of(std::uint32_t location, std::uint64_t number) {
    const ActivityRef call{location, number};
    const auto& waits = found_->waits;
    const auto known = std::ranges::lower_bound(waits, call, {}, &WaitState::waiting);
    if (known == waits.end() || known->waiting != call || !known->is_certain()) return std::nullopt;
    return static_cast<std::size_t>(known - waits.begin());
  }

  const RunActivities* run_;
  const WaitStates* found_;
  DelayOrigins* origins_;
  std::vector<std::vector<SignalRole>> roles_;  // by location
  std::vector<std::size_t> next_;               // role, by location
  std::map<Channel, Channels> channels_;
  std::set<std::uint32_t> starts_;  // locations whose first call is MPI_Init
  std::set<std::uint32_t> gaps_;    // locations whose next step follows a gap
  std::vector<DelaySignal> others_;
};

}  // namespace

void add_delay_steps(const RunActivities& run, const WaitStates& found, DelayOrigins& origins) {
  StepMaker(run, found, origins).add();
}

}  // namespace eventspace
