#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "monitors/whatif/actions/group_steps.h"
#include "monitors/whatif/actions/smpi_trace.h"

namespace eventspace::whatif {
namespace {

bool has_message(const Action& action) {
  return action.sends() || action.receives() || action.kind == ActionKind::multicast;
}

/// Represents the groups of a program in a trace that has one group.
class SmpiGroups {
 public:
  explicit SmpiGroups(const Program& program) : program_(&program) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;  // group and tag
    for (const Task& task : program.tasks) {
      for (const Action& action : task.actions)
        if (has_message(action)) found.emplace(action.group, action.tag);
    }
    // The first group that has a tag keeps it.
    std::set<std::uint32_t> used;
    for (const auto& [group, tag] : found)
      if (tag <= max_tag && used.insert(tag).second) tags_.emplace(std::pair(group, tag), tag);
    for (const auto& of : found)
      if (!tags_.contains(of)) tags_.emplace(of, free_tag(used));
    for (std::uint32_t group = 0; group < program.groups.size(); ++group)
      if (!has_all(group)) of_operations_.emplace(group, free_tag(used));
  }

  [[nodiscard]] std::uint32_t tag_of(const Action& action) const {
    return tags_.at({action.group, action.tag});
  }
  /// The tag of the messages that replace collective operations of a group; null if the group has all tasks.
  [[nodiscard]] const std::uint32_t* operations_of(std::uint32_t group) const {
    const auto found = of_operations_.find(group);
    return found == of_operations_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr std::uint32_t max_tag = (std::uint32_t{1} << 31) - 1;

  [[nodiscard]] bool has_all(std::uint32_t group) const {
    const auto& members = program_->groups[group].members;
    return std::set(members.begin(), members.end()).size() == program_->tasks.size();
  }
  std::uint32_t free_tag(std::set<std::uint32_t>& used) {
    while (!used.insert(next_free_).second) ++next_free_;
    return next_free_++;
  }

  const Program* program_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> tags_;
  std::map<std::uint32_t, std::uint32_t> of_operations_;
  std::uint32_t next_free_{0};
};

/// Writes the actions of one task. A request is named by its source, destination and tag.
class SmpiTask {
 public:
  SmpiTask(std::ostream& out, const Program& program, const SmpiGroups& groups, std::uint32_t task,
           const SmpiSettings& settings)
      : out_(&out),
        program_(&program),
        groups_(&groups),
        task_(task),
        settings_(settings),
        open_(program.tasks[task].requests) {}

  void write() {
    *out_ << task_ << " init\n";  // sizes are bytes
    for (const Action& action : program_->tasks[task_].actions) write(action);
    *out_ << task_ << " finalize\n";
  }

 private:
  void line(const std::string& text) { *out_ << task_ << ' ' << text << '\n'; }
  void work(Picoseconds duration) {
    if (duration > 0) line(fmt::format("compute {}", in_seconds(duration) * settings_.flops_per_second));
  }

  void write(const Action& of) {
    switch (of.kind) {
      case ActionKind::compute:
      case ActionKind::overhead:
        return work(of.takes);
      case ActionKind::idle:
        if (of.takes > 0) line(fmt::format("sleep {}", in_seconds(of.takes)));
        return;
      case ActionKind::send:
        return message("send", of.peer, of);
      case ActionKind::receive:
        return message("recv", of.peer, of);
      case ActionKind::isend:
      case ActionKind::ireceive:
        open_[of.request] = &of;
        return message(of.kind == ActionKind::isend ? "isend" : "irecv", of.peer, of);
      case ActionKind::wait:
        return wait(of);
      case ActionKind::multicast:
        for (const std::uint32_t task : program_->destinations[of.peer]) message("send", task, of);
        return;
      case ActionKind::group:
        return group(of);
    }
  }

  void message(const char* word, std::uint32_t peer, const Action& of) {
    line(fmt::format("{} {} {} {}", word, peer, groups_->tag_of(of), of.bytes));
    if (of.kind != ActionKind::multicast) work(of.takes);
  }

  void wait(const Action& of) {
    const Action& begun = *open_[of.request];
    const bool sends = begun.sends();
    line(fmt::format("wait {} {} {}", sends ? task_ : begun.peer, sends ? begun.peer : task_,
                     groups_->tag_of(begun)));
    work(of.takes);
  }

  void group(const Action& of) {
    if (const std::uint32_t* const tag = groups_->operations_of(of.group))
      messages(of, *tag);
    else
      operation(of);
    work(of.takes);
  }

  // The messages of an operation of some tasks.
  void messages(const Action& of, std::uint32_t tag) {
    const auto& members = program_->groups[of.group].members;
    const auto rank = std::ranges::find(members, task_) - members.begin();
    const GroupCall call{.operation = of.operation,
                         .members = static_cast<std::uint32_t>(members.size()),
                         .rank = static_cast<std::uint32_t>(rank),
                         .root = of.peer,
                         .bytes = of.bytes};
    std::uint32_t number = 0;
    for (auto step = group_step(call, number); step; step = group_step(call, ++number)) {
      if (step->from) line(fmt::format("irecv {} {} {}", members[*step->from], tag, step->bytes_received));
      if (step->to) line(fmt::format("isend {} {} {}", members[*step->to], tag, step->bytes_sent));
      if (step->from) line(fmt::format("wait {} {} {}", members[*step->from], task_, tag));
      if (step->to) line(fmt::format("wait {} {} {}", task_, members[*step->to], tag));
    }
  }

  // The root is a rank of the group; in the trace, the rank of a task is its number.
  void operation(const Action& of) {
    const std::uint64_t bytes = of.bytes;
    const auto tasks = program_->tasks.size();
    const auto& members = program_->groups[of.group].members;
    const std::uint32_t root = of.peer < members.size() ? members[of.peer] : of.peer;
    switch (of.operation) {
      case GroupOperation::barrier:
        line("barrier");
        break;
      case GroupOperation::broadcast:
        line(fmt::format("bcast {} {}", bytes, root));
        break;
      case GroupOperation::reduce:
        line(fmt::format("reduce {} 0 {}", bytes, root));
        break;
      case GroupOperation::all_reduce:
        line(fmt::format("allreduce {} 0", bytes));
        break;
      case GroupOperation::gather:
        line(fmt::format("gather {0} {0} {1}", bytes, root));
        break;
      case GroupOperation::scatter:
        line(fmt::format("scatter {0} {0} {1}", bytes, root));
        break;
      case GroupOperation::all_gather:
        line(fmt::format("allgather {0} {0}", bytes));
        break;
      case GroupOperation::all_to_all:
        line(fmt::format("alltoall {0} {0}", bytes));
        break;
      case GroupOperation::reduce_scatter: {
        std::string counts;
        for (std::size_t i = 0; i < tasks; ++i) counts += fmt::format(" {}", bytes / tasks);
        line(fmt::format("reducescatter{} 0", counts));
        break;
      }
      case GroupOperation::scan:
        line(fmt::format("scan {} 0", bytes));
        break;
    }
  }

  std::ostream* out_;
  const Program* program_;
  const SmpiGroups* groups_;
  std::uint32_t task_;
  SmpiSettings settings_;
  std::vector<const Action*> open_;
};

void require_whole_receives(const Program& program) {
  for (const Task& task : program.tasks) {
    for (const Action& action : task.actions)
      if (action.has(Mark::partial))
        throw ConfigurationError(
            fmt::format("{}: the program contains partial receives, which a trace of SMPI cannot contain",
                        program.source));
  }
}

}  // namespace

std::string write_smpi_trace(std::ostream& out, const Program& program, const SmpiSettings& settings) {
  require_whole_receives(program);
  const SmpiGroups groups(program);
  std::size_t multicasts = 0;
  std::size_t operations = 0;
  for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
    for (const Action& action : program.tasks[task].actions) {
      multicasts += action.kind == ActionKind::multicast ? 1 : 0;
      const bool is_of_some =
          action.kind == ActionKind::group && groups.operations_of(action.group) != nullptr;
      operations += is_of_some ? 1 : 0;
    }
    SmpiTask(out, program, groups, task, settings).write();
  }
  std::string note;
  if (multicasts > 0) note = "multicasts are written as a send to each destination";
  if (operations > 0)
    note += fmt::format("{}collective operations of some tasks are written as their messages",
                        note.empty() ? "" : "; ");
  return note;
}

}  // namespace eventspace::whatif
