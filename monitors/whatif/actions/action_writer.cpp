#include <fmt/format.h>

#include <ostream>

#include "monitors/whatif/actions/action_names.h"
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/actions/amounts.h"
#include "scopes/tree/rank_list.h"

namespace eventspace::whatif {
namespace {

constexpr std::size_t any_length = std::size_t{1} << 30;

std::string_view word_of(const Action& action) {
  switch (action.kind) {
    case ActionKind::compute:
      return "compute";
    case ActionKind::idle:
      return "idle";
    case ActionKind::overhead:
      return "overhead";
    case ActionKind::send:
      return "send";
    case ActionKind::isend:
      return "isend";
    case ActionKind::receive:
      return "recv";
    case ActionKind::ireceive:
      return "irecv";
    case ActionKind::wait:
      return "wait";
    case ActionKind::multicast:
      return "mcast";
    case ActionKind::group:
      return group_operation_words[static_cast<std::size_t>(action.operation)];
  }
  return "";
}

/// Writes the line of one action.
class ActionLine {
 public:
  ActionLine(const Program& program, std::uint32_t task, const Action& action)
      : program_(&program), action_(&action) {
    line_ = fmt::format("{} {}", task, word_of(action));
    add_arguments();
    add_settings();
  }
  [[nodiscard]] const std::string& text() const noexcept { return line_; }

 private:
  void add_arguments() {
    const Action& of = *action_;
    switch (of.kind) {
      case ActionKind::compute:
      case ActionKind::idle:
      case ActionKind::overhead:
        line_ += " " + to_text(of.takes);
        return;
      case ActionKind::wait:
        line_ += fmt::format(" {}", of.request);
        return;
      case ActionKind::multicast:
        line_ += fmt::format(" {} {}B", to_rank_list(program_->destinations[of.peer], any_length), of.bytes);
        return;
      case ActionKind::group:
        if (of.operation != GroupOperation::barrier) line_ += fmt::format(" {}B", of.bytes);
        if (of.peer != 0) line_ += fmt::format(" root {}", of.peer);
        return;
      default:
        line_ += fmt::format(" {} {}B", of.peer, of.bytes);
    }
    if (of.kind == ActionKind::isend || of.kind == ActionKind::ireceive)
      line_ += fmt::format(" request {}", of.request);
  }

  void add_settings() {
    const Action& of = *action_;
    const bool is_own =
        of.kind == ActionKind::compute || of.kind == ActionKind::idle || of.kind == ActionKind::overhead;
    if (of.tag != 0) line_ += fmt::format(" tag {}", of.tag);
    if (of.group != 0) line_ += fmt::format(" group {}", of.group);
    if (of.calls() > 1) line_ += fmt::format(" calls {}", of.calls());
    if (!is_own && of.takes != 0) line_ += " takes " + to_text(of.takes);
    if (of.function != 0) line_ += " in " + to_word(program_->functions[of.function]);
    for (std::size_t i = 0; i < mark_words.size(); ++i) {
      if ((of.marks >> i & 1U) != 0) line_ += fmt::format(" {}", mark_words[i]);
    }
  }

  const Program* program_;
  const Action* action_;
  std::string line_;
};

}  // namespace

void write_actions(std::ostream& out, const Program& program) {
  out << "eventspace-actions 1\ntasks " << program.tasks.size() << '\n';
  if (program.recorded) out << "recorded " << to_text(*program.recorded) << '\n';
  if (program.cut) out << "holds " << to_text(program.cut->at) << ' ' << to_word(program.cut->reason) << '\n';
  for (std::size_t i = 0; i < program.tasks.size(); ++i) {
    if (!program.tasks[i].name.empty()) out << "name " << i << ' ' << to_word(program.tasks[i].name) << '\n';
  }
  for (std::size_t i = 1; i < program.groups.size(); ++i) {
    if (!program.groups[i].members.empty())
      out << "group " << i << ' ' << to_rank_list(program.groups[i].members, any_length) << '\n';
  }
  for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
    for (const Action& action : program.tasks[task].actions)
      out << ActionLine(program, task, action).text() << '\n';
    out << task << " end\n";
  }
}

}  // namespace eventspace::whatif
