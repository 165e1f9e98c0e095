#include "monitors/whatif/actions/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "monitors/text/counted.h"
#include "monitors/whatif/actions/faulty_input.h"

namespace eventspace::whatif {
namespace {

struct Route {
  std::uint32_t from{0}, to{0}, group{0}, tag{0};
  friend auto operator<=>(const Route&, const Route&) = default;  // NOLINT(modernize-use-nullptr)
};

struct At {
  std::uint32_t task{0};
  std::size_t action{0};
};

struct Traffic {
  std::uint64_t sends{0}, receives{0};
  std::uint64_t bytes_sent{0}, bytes_received{0};
  std::optional<At> first_send{}, first_receive{}, first_partial{};
  bool has_whole{false};
};

/// Counts the messages and bytes sent and received on each route.
class Messages {
 public:
  explicit Messages(const Program& program) : program_(&program) {
    for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
      const auto& actions = program.tasks[task].actions;
      for (std::size_t i = 0; i < actions.size(); ++i) add(actions[i], {task, i});
    }
  }

  void report(std::vector<Inconsistency>& found) const {
    for (const auto& [route, traffic] : routes_) {
      if (traffic.first_partial && traffic.has_whole) {
        found.push_back(
            {true, fmt::format("{}: some receives of {} from {} (tag {}) are partial and some are whole",
                               place(*traffic.first_partial), name(route.to), name(route.from), route.tag)});
      } else if (traffic.first_partial) {
        report_bytes(route, traffic, found);
      } else {
        report_counts(route, traffic, found);
      }
    }
  }

 private:
  void add(const Action& action, const At& at) {
    if (action.kind == ActionKind::multicast) {
      for (const std::uint32_t to : program_->destinations[action.peer]) add_send(to, action, at);
    } else if (action.sends()) {
      add_send(action.peer, action, at);
    } else if (action.receives()) {
      Traffic& traffic = routes_[{action.peer, at.task, action.group, action.tag}];
      if (!traffic.first_receive) traffic.first_receive = at;
      if (action.has(Mark::partial)) {
        if (!traffic.first_partial) traffic.first_partial = at;
      } else {
        traffic.has_whole = true;
      }
      ++traffic.receives;
      traffic.bytes_received += action.bytes;
    }
  }
  void add_send(std::uint32_t to, const Action& action, const At& at) {
    Traffic& traffic = routes_[{at.task, to, action.group, action.tag}];
    if (!traffic.first_send) traffic.first_send = at;
    ++traffic.sends;
    traffic.bytes_sent += action.bytes;
  }

  void report_counts(const Route& route, const Traffic& traffic, std::vector<Inconsistency>& found) const {
    if (traffic.sends == traffic.receives) return;
    const bool lacks_sends = traffic.sends < traffic.receives;
    const At at = lacks_sends ? *traffic.first_receive : *traffic.first_send;
    found.push_back(
        {lacks_sends, fmt::format("{}: {} receives {} and {} sends {} (tag {}, group {})", place(at),
                                  name(route.to), counted(traffic.receives, "message"), name(route.from),
                                  counted(traffic.sends, "message"), route.tag, route.group)});
  }
  void report_bytes(const Route& route, const Traffic& traffic, std::vector<Inconsistency>& found) const {
    if (traffic.bytes_sent == traffic.bytes_received) return;
    const bool lacks_sends = traffic.bytes_sent < traffic.bytes_received;
    found.push_back(
        {lacks_sends, fmt::format("{}: {} receives {} bytes and {} sends {} (tag {}, group {})",
                                  place(*traffic.first_partial), name(route.to), traffic.bytes_received,
                                  name(route.from), traffic.bytes_sent, route.tag, route.group)});
  }
  [[nodiscard]] std::string place(const At& at) const { return program_->place_of(at.task, at.action); }
  [[nodiscard]] std::string name(std::uint32_t task) const { return program_->name_of(task); }

  const Program* program_;
  std::map<Route, Traffic> routes_;
};

/// Compares the collective operations of each member of a group with the operations of its first member.
class GroupCalls {
 public:
  explicit GroupCalls(const Program& program) : program_(&program), calls_(program.groups.size()) {}

  void report(std::vector<Inconsistency>& found) {
    for (std::uint32_t task = 0; task < program_->tasks.size(); ++task) {
      std::map<std::uint32_t, std::size_t> done;  // operations of this task, by group
      const auto& actions = program_->tasks[task].actions;
      for (std::size_t i = 0; i < actions.size(); ++i) {
        if (actions[i].kind == ActionKind::group) add(actions[i], {task, i}, done, found);
      }
      for (const auto& [group, count] : done) counts_[group].emplace_back(task, count);
    }
    for (const auto& [group, counts] : counts_) report_missing(group, counts, found);
  }

 private:
  struct Call {
    GroupOperation operation{GroupOperation::barrier};
    std::uint32_t root{0};
    At at{};
  };
  void add(const Action& action, const At& at, std::map<std::uint32_t, std::size_t>& done,
           std::vector<Inconsistency>& found) {
    const auto& members = program_->groups[action.group].members;
    if (action.group != 0 && std::ranges::find(members, at.task) == members.end()) {
      found.push_back(
          {true, fmt::format("{}: {} is not a member of group {}", place(at), name(at.task), action.group)});
      return;
    }
    if (action.peer >= members.size()) {
      found.push_back({true, fmt::format("{}: the root {} is not a rank of group {}, which has {} members",
                                         place(at), action.peer, action.group, members.size())});
      return;
    }
    const std::size_t number = done[action.group]++;
    auto& calls = calls_[action.group];
    if (number == calls.size()) calls.push_back({action.operation, action.peer, at});
    const Call& first = calls[number];
    if (first.operation == action.operation && first.root == action.peer) return;
    found.push_back(
        {true, fmt::format("{}: {} does {}, but {} does {}, which has another kind or root ({})", place(at),
                           name(at.task), program_->describe(at.task, at.action), name(first.at.task),
                           program_->describe(first.at.task, first.at.action), place(first.at))});
  }
  void report_missing(std::uint32_t group, const std::vector<std::pair<std::uint32_t, std::size_t>>& counts,
                      std::vector<Inconsistency>& found) const {
    std::map<std::uint32_t, std::size_t> by_task(counts.begin(), counts.end());
    for (const std::uint32_t member : program_->groups[group].members) {
      const auto of = by_task.find(member);
      const std::size_t done = of == by_task.end() ? 0 : of->second;
      if (done == calls_[group].size()) continue;
      const Call& missing = calls_[group][done];
      found.push_back(
          {true, fmt::format("{}: {} does {}, but {} has no matching action", place(missing.at),
                             name(missing.at.task), program_->describe(missing.at.task, missing.at.action),
                             name(member))});
    }
  }
  [[nodiscard]] std::string place(const At& at) const { return program_->place_of(at.task, at.action); }
  [[nodiscard]] std::string name(std::uint32_t task) const { return program_->name_of(task); }

  const Program* program_;
  std::vector<std::vector<Call>> calls_;  // by group: operations of the member that has done most so far
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::size_t>>> counts_;
};

}  // namespace

std::vector<Inconsistency> inconsistencies(const Program& program, std::size_t most) {
  std::vector<Inconsistency> found;
  if (program.cut) return found;
  GroupCalls(program).report(found);
  Messages(program).report(found);
  std::stable_partition(found.begin(), found.end(), [](const Inconsistency& one) { return one.is_fault; });
  if (found.size() > most) found.resize(most);
  return found;
}

std::vector<std::string> require_consistent(const Program& program) {
  std::vector<std::string> notes;
  std::vector<std::string> faults;
  for (Inconsistency& one : inconsistencies(program))
    (one.is_fault ? faults : notes).push_back(std::move(one.text));
  if (faults.empty()) return notes;
  const std::string summary =
      fmt::format("{}: the actions of tasks are inconsistent in {} places", program.source, faults.size());
  throw FaultyInput(summary, std::move(faults));
}

}  // namespace eventspace::whatif
