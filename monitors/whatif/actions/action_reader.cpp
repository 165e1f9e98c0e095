#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <optional>

#include "monitors/whatif/actions/action_names.h"
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/actions/line_words.h"
#include "monitors/whatif/actions/program_builder.h"
#include "scopes/tree/rank_list.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::whatif {
namespace {

constexpr std::string_view first_word = "eventspace-actions";
constexpr std::uint64_t version = 1;

struct KindWord {
  std::string_view word;
  ActionKind kind;
};
constexpr std::array kind_words{
    KindWord{"compute", ActionKind::compute},   KindWord{"idle", ActionKind::idle},
    KindWord{"overhead", ActionKind::overhead}, KindWord{"send", ActionKind::send},
    KindWord{"isend", ActionKind::isend},       KindWord{"recv", ActionKind::receive},
    KindWord{"irecv", ActionKind::ireceive},    KindWord{"wait", ActionKind::wait},
    KindWord{"mcast", ActionKind::multicast}};

bool is_number(std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

/// Reads one text. Each line describes the program or one action of a task.
class ActionReader {
 public:
  ActionReader(std::istream& in, const std::string& source) : words_(in, source), builder_(source) {}

  Program read() {
    if (!words_.next_line() || words_.word("the first line") != first_word)
      words_.refuse(fmt::format("a program of actions begins with the line '{} {}'", first_word, version));
    if (words_.whole("the version of the format", 1'000'000) != version)
      words_.refuse(fmt::format("unknown version of the format; known: {}", version));
    words_.expect_end();
    while (words_.next_line()) {
      if (is_number(words_.peek())) {
        read_action(words_.number("a task"));
      } else {
        read_header();
      }
      words_.expect_end();
    }
    return builder_.finish();
  }

 private:
  void read_header() {
    const std::string_view word = words_.word("a word");
    if (word == "tasks") return builder_.declare(words_.whole("the number of tasks", ~0ULL), words_.line());
    if (word == "recorded") {
      builder_.program().recorded = words_.time("the time that the run took");
      return;
    }
    if (word == "name") {
      const std::uint32_t task = words_.number("a task");
      return builder_.name(task, name("the name of the task"), words_.line());
    }
    if (word == "group") {
      const std::uint32_t group = words_.number("the number of the group");
      return builder_.group(group, tasks("its members"), words_.line());
    }
    if (word == "holds") {
      const Picoseconds until = words_.time("the time until which the program is known");
      builder_.program().cut = ProgramCut{until, name("the reason")};
      return;
    }
    words_.refuse(fmt::format(
        "found '{}'; expected the number of a task, or one of: tasks, recorded, name, group, holds",
        escaped(word)));
  }

  std::string name(std::string_view what) {
    const std::string_view word = words_.word(what);
    const auto text = text_of_word(word);
    if (!text)
      words_.refuse(
          fmt::format("'{}' has a % that is not followed by two hexadecimal digits", escaped(word)));
    return *text;
  }

  std::vector<std::uint32_t> tasks(std::string_view what) {
    const std::string_view word = words_.word(what);
    const auto list = parse_rank_list(word, max_tasks);
    if (!list || list->empty())
      words_.refuse(fmt::format("found '{}'; expected {}, a list such as 0-3,8", escaped(word), what));
    return *list;
  }

  void read_action(std::uint32_t task) {
    const std::string_view word = words_.word("an action");
    if (word == "end") return builder_.end(task, words_.line());
    Action action;
    const auto kind = std::ranges::find(kind_words, word, &KindWord::word);
    if (kind != kind_words.end()) {
      action.kind = kind->kind;
    } else {
      const auto operation = std::ranges::find(group_operation_words, word);
      if (operation == group_operation_words.end()) refuse_kind(word);
      action.kind = ActionKind::group;
      action.operation = static_cast<GroupOperation>(operation - group_operation_words.begin());
    }
    read_arguments(task, action);
  }

  [[noreturn]] void refuse_kind(std::string_view word) const {
    std::string known;
    for (const KindWord& kind : kind_words) known += fmt::format("{}, ", kind.word);
    for (const std::string_view operation : group_operation_words) known += fmt::format("{}, ", operation);
    words_.refuse(fmt::format("unknown action '{}'; known: {}end", escaped(word), known));
  }

  void read_arguments(std::uint32_t task, Action& action) {
    switch (action.kind) {
      case ActionKind::compute:
      case ActionKind::idle:
      case ActionKind::overhead:
        action.takes = words_.time("the duration");
        break;
      case ActionKind::multicast:
        action.peer = builder_.destinations(tasks("the destinations"), words_.line());
        action.bytes = words_.bytes("the bytes of the message");
        break;
      case ActionKind::wait:
        return read_wait(task, action);
      case ActionKind::group:
        if (action.operation != GroupOperation::barrier) action.bytes = words_.bytes("the bytes");
        break;
      default:
        action.peer = words_.number("a task");
        action.bytes = words_.bytes("the bytes of the message");
    }
    read_settings(action);
    if (action.kind != ActionKind::isend && action.kind != ActionKind::ireceive)
      return builder_.add(task, action, words_.line());
    if (!request_) words_.refuse("the action needs 'request NUMBER', so that a wait can name the request");
    builder_.begin(task, action, *request_, words_.line());
  }

  void read_wait(std::uint32_t task, Action& action) {
    requests_.clear();
    requests_.push_back(words_.number("a request"));
    while (is_number(words_.peek())) requests_.push_back(words_.number("a request"));
    read_settings(action);
    builder_.wait(task, action, requests_, words_.line());
  }

  void read_settings(Action& action) {
    request_.reset();
    while (words_.has_more()) {
      const std::string_view word = words_.word("a word");
      if (word == "takes") {
        action.takes = words_.time("a duration");
      } else if (word == "tag") {
        action.tag = words_.number("a tag");
      } else if (word == "group") {
        action.group = words_.number("a group");
      } else if (word == "root" && action.kind == ActionKind::group) {
        action.peer = words_.number("a rank of the group");
      } else if (word == "calls" && action.kind == ActionKind::overhead) {
        action.bytes = words_.number("the number of calls");
      } else if (word == "request") {
        request_ = words_.number("a request");
      } else if (word == "in") {
        action.function = builder_.function(name("a function"), words_.line());
      } else {
        read_mark(word, action);
      }
    }
  }

  void read_mark(std::string_view word, Action& action) const {
    const auto mark = std::ranges::find(mark_words, word);
    if (mark == mark_words.end())
      words_.refuse(
          fmt::format("found '{}' after the action; expected takes, tag, group, root, calls, request, in, "
                      "probe, test, timed, wildcard, any, partial, sync or more",
                      escaped(word)));
    action.marks = static_cast<std::uint16_t>(action.marks | 1U << (mark - mark_words.begin()));
  }

  LineWords words_;
  ProgramBuilder builder_;
  std::optional<std::uint64_t> request_;
  std::vector<std::uint64_t> requests_;
};

}  // namespace

bool is_action_text(std::string_view first_line) { return first_line.starts_with(first_word); }

Program read_actions(std::istream& in, const std::string& source) { return ActionReader(in, source).read(); }

}  // namespace eventspace::whatif
