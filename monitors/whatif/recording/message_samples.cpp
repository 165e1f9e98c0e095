#include "monitors/whatif/recording/message_samples.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "monitors/whatif/actions/group_steps.h"

namespace eventspace::whatif {
namespace {

using RouteOfSamples = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

struct SampleEnds {
  std::vector<MessageSample> sends, receives;
};

/// Collects both ends of all messages, and pairs them.
class Pairs {
 public:
  explicit Pairs(const RecordedProgram& recorded) : recorded_(&recorded) {
    for (std::uint32_t task = 0; task < recorded.program.tasks.size(); ++task) add_task(task);
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t count = 0;
    for (const auto& [key, ends] : ends_) count += std::min(ends.sends.size(), ends.receives.size());
    return count;
  }
  void for_each(const std::function<void(const MessageSample&)>& use) const {
    for (const auto& [key, ends] : ends_) {
      for (std::size_t i = 0; i < std::min(ends.sends.size(), ends.receives.size()); ++i) {
        MessageSample sample = ends.sends[i];
        sample.posted_ns = ends.receives[i].posted_ns;
        sample.taken = ends.receives[i].taken;
        use(sample);
      }
    }
  }

 private:
  // A receive whose wait is still to come: its place among the receives of its route.
  struct Open {
    RouteOfSamples key{};
    std::size_t place{0};
    bool receives{false};
  };

  void add_task(std::uint32_t task) {
    const auto& actions = recorded_->program.tasks[task].actions;
    const auto& times = recorded_->times[task];
    std::vector<Open> open(recorded_->program.tasks[task].requests);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const Action& action = actions[i];
      // Messages of a task to itself do not enter the network.
      if (action.peer == task && (action.sends() || action.receives())) {
        if (action.kind != ActionKind::send && action.kind != ActionKind::receive) open[action.request] = {};
      } else if (action.kind == ActionKind::multicast) {
        for (const std::uint32_t to : recorded_->program.destinations[action.peer])
          ends_[{task, to, action.group, action.tag}].sends.push_back(
              {.bytes = action.bytes, .sender = task, .send = i, .sent = times[i]});
      } else if (action.sends()) {
        ends_[{task, action.peer, action.group, action.tag}].sends.push_back(
            {.bytes = action.bytes,
             .sender = task,
             .send = i,
             .sent = times[i],
             .is_blocking_send = action.kind == ActionKind::send,
             .is_answered = action.has(Mark::answered)});
        if (action.kind == ActionKind::isend) open[action.request] = {};
      } else if (action.receives() && !action.has(Mark::partial)) {
        const RouteOfSamples key{action.peer, task, action.group, action.tag};
        auto& receives = ends_[key].receives;
        receives.push_back({.posted_ns = times[i].begin_ns, .taken = times[i]});
        if (action.kind == ActionKind::ireceive) open[action.request] = {key, receives.size() - 1, true};
      } else if (action.kind == ActionKind::wait && open[action.request].receives) {
        const Open& of = open[action.request];
        ends_[of.key].receives[of.place].taken = times[i];
        open[action.request] = {};
      }
    }
  }

  const RecordedProgram* recorded_;
  std::map<RouteOfSamples, SampleEnds> ends_;
};

}  // namespace

void for_each_message(const RecordedProgram& recorded, const std::function<void(const MessageSample&)>& use) {
  Pairs(recorded).for_each(use);
}

std::vector<MessageSample> message_samples(const RecordedProgram& recorded, std::size_t most) {
  const Pairs pairs(recorded);
  const std::size_t every = pairs.count() / most + 1;
  std::vector<MessageSample> all;
  std::size_t seen = 0;
  pairs.for_each([&](const MessageSample& sample) {
    if (seen++ % every == 0) all.push_back(sample);
  });
  return all;
}

std::vector<GroupSample> group_samples(const RecordedProgram& recorded, std::size_t most) {
  struct Operation {
    std::size_t members{0};
    std::int64_t last_begin{0}, last_end{0};
    GroupCall call{};
  };
  std::map<std::pair<std::uint32_t, std::size_t>, Operation> operations;  // by group and number
  for (std::uint32_t task = 0; task < recorded.program.tasks.size(); ++task) {
    std::map<std::uint32_t, std::size_t> done;
    const auto& actions = recorded.program.tasks[task].actions;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (actions[i].kind != ActionKind::group) continue;
      const std::size_t number = done[actions[i].group]++;
      if (number >= most) continue;
      Operation& of = operations[{actions[i].group, number}];
      const ActionTime& time = recorded.times[task][i];
      of.last_begin = std::max(of.last_begin, time.begin_ns);
      of.last_end = std::max(of.last_end, time.end_ns);
      of.call = {actions[i].operation, 0, 0, 0, std::max(of.call.bytes, actions[i].bytes)};
      ++of.members;
    }
  }
  std::vector<GroupSample> samples;
  for (auto& [key, of] : operations) {
    if (of.members != recorded.program.groups[key.first].members.size() || of.members < 2) continue;
    of.call.members = static_cast<std::uint32_t>(of.members);
    std::uint32_t steps = 0;
    while (group_step(of.call, steps)) ++steps;
    if (steps > 0 && of.last_end > of.last_begin)
      samples.push_back({of.call.bytes, static_cast<double>(of.last_end - of.last_begin) / steps});
  }
  return samples;
}

}  // namespace eventspace::whatif
