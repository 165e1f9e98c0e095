#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

#include <eventspace/error.h>
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/named_groups.h"
#include "monitors/probing/groups/process_options.h"
#include "monitors/probing/groups/selection.h"
#include "monitors/probing/nodes/new_problems.h"
#include "monitors/probing/nodes/node_orders.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "tuplespace/parsing/words.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

struct GroupOptions {
  std::string name;
  NodeChoice nodes;
  ProcessChoice choice;
  bool is_removal{false};
  bool stops{false};
  bool goes_on{false};
  std::string setting;
  std::string kind;
  std::string event_class;
  Format format{Format::text};
};

/// Quotes a word of a command for the shell.
std::string shell_word(std::string_view text) {
  if (!text.empty() && has_only_letters_digits_or("_-./:@%+,", text)) return std::string(text);
  if (text.find_first_of("\"$`\\!") == std::string_view::npos) return fmt::format("\"{}\"", text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// The choice as options of the command.
std::string definition_of(const ProcessChoice& choice) {
  std::string text;
  const auto add = [&text](std::string_view option, const std::vector<std::string>& values) {
    for (const std::string& value : values)
      text += fmt::format("{}--{} {}", text.empty() ? "" : " ", option, shell_word(value));
  };
  for (const std::int32_t pid : choice.pids) add("pid", {std::to_string(pid)});
  add("name", choice.names);
  add("job", choice.jobs);
  add("process", choice.recorded);
  add("communicator", choice.communicators);
  add("group", choice.groups);
  add("within", choice.within);
  add("without", choice.without);
  if (!choice.where.empty()) add("where", {choice.where});
  return text;
}

int list_groups(Format format) {
  ResultTable table({"group", "processes", "definition"});
  const ProcessGroups groups = NamedGroups::all();
  if (groups.empty()) {
    print_message("found no groups; create one with `eventspace group NAME --name GLOB`");
    return exit_fine;
  }
  ProcessChoice all;
  for (const auto& [name, choice] : groups) all.groups.push_back(name);
  const std::vector<ProcessFacts> processes = facts_for(all, groups);
  for (const auto& [name, choice] : groups)
    table.add({name, selected(choice, groups, processes).size(), definition_of(choice)});
  table.print(std::cout, format);
  return exit_fine;
}

ProcessChoice group_named(const std::string& name) {
  ProcessChoice choice;
  choice.groups = {name};
  return choice;
}

int list_members(const std::string& name, const NodeChoice& nodes, Format format) {
  ResultTable table({"host", "process", "name", "rank", "job", "session", "threads"});
  const GroupOrder order = order_for(ListProcesses(), nodes, group_named(name));
  const GroupAnswer answer = work_on(nodes)->carry_out(order);
  for (const GroupMember& one : answer.members)
    table.add({one.host, one.pid, one.name, one.rank.empty() ? Json() : Json(one.rank), one.job, one.session,
               one.threads});
  if (answer.members.empty()) {
    print_message(fmt::format("group '{}' has no process on {} now", name,
                              nodes.is_here() ? "this machine" : "any machine"));
    return exit_unreachable;
  }
  table.print(std::cout, format);
  if (nodes.is_here())
    for (const std::string& line : NewProblems().lines_of(answer)) print_message(line);
  if (!nodes.is_here()) return report_answer(answer, "are in the group");
  return exit_fine;
}

int define(const GroupOptions& options) {
  NamedGroups::store(options.name, options.choice);
  const std::size_t now = members_here(group_named(options.name), NamedGroups::all()).size();
  print_message(fmt::format("group '{}': {} on this machine now", options.name, counted(now, "process")));
  return exit_fine;
}

int remove(const std::string& name) {
  if (NamedGroups::remove(name)) return exit_fine;
  print_message(fmt::format("group '{}' does not exist", escaped(name)));
  return exit_unreachable;
}

/// "off", "1/100 for mpi complete events".
std::string switched_text(const GroupOptions& options) {
  if (options.kind.empty() && options.event_class.empty()) return options.setting;
  const std::string_view between = options.kind.empty() || options.event_class.empty() ? "" : " ";
  return fmt::format("{} for {}{}{} events", options.setting, options.kind, between, options.event_class);
}

GroupCommand command_of(const GroupOptions& options) {
  if (options.stops) return StopProcesses();
  if (options.goes_on) return ContinueProcesses();
  return SwitchRecording{period_of(options.setting), events_named(options.kind, options.event_class)};
}

int steer(const GroupOptions& options) {
  const GroupOrder order = order_for(command_of(options), options.nodes, group_named(options.name));
  const GroupAnswer answer = work_on(options.nodes)->carry_out(order);
  const std::string what = options.stops     ? std::string("stopped")
                           : options.goes_on ? std::string("continued")
                                             : fmt::format("switched to {}", switched_text(options));
  return report_answer(answer, what);
}

int run_group(const GroupOptions& options) {
  const int actions = (options.is_removal ? 1 : 0) + (options.stops ? 1 : 0) + (options.goes_on ? 1 : 0) +
                      (options.setting.empty() ? 0 : 1) + (options.choice.is_empty() ? 0 : 1);
  if (actions > 1)
    throw ConfigurationError(
        "use only one of --stop, --continue, --switch, --remove and a new definition of the group");
  if (options.name.empty()) {
    if (actions > 0)
      throw ConfigurationError("the name of the group is missing; use `eventspace group NAME ...`");
    return list_groups(options.format);
  }
  if (options.is_removal) return remove(options.name);
  if (!options.choice.is_empty()) {
    if (!options.nodes.is_here())
      throw ConfigurationError(
          "a group is defined without PATHMAP and --hosts: its definition is the same on all machines");
    return define(options);
  }
  if (actions > 0) return steer(options);
  return list_members(options.name, options.nodes, options.format);
}

void add_options(CLI::App& app, GroupOptions& options) {
  app.add_option("NAME", options.name, "Name of the group [lists all groups]");
  add_nodes(app, options.nodes);
  add_processes(app, options.choice);
  app.add_flag("--stop", options.stops, "Stop its processes (SIGSTOP)");
  app.add_flag("--continue", options.goes_on, "Continue its processes (SIGCONT)");
  app.add_option("--switch", options.setting,
                 "Switch what its processes record, if they are in a session: on, off, or 1/N")
      ->type_name("SETTING");
  app.add_option("--kind", options.kind, "Switch only events of this kind, such as mpi [all]")
      ->needs("--switch");
  app.add_option("--class", options.event_class, "Switch only events of this class, such as collective [all]")
      ->needs("--switch");
  app.add_flag("--remove", options.is_removal, "Remove the group; its processes are not affected");
  add_format(app, options.format);
}

}  // namespace

Command group_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .place = 9,
      .examples =
          {{"eventspace group solvers --name lmp --where 'rank<4'",
            "gives the first ranks of a program a name; then `eventspace probe 'solve*' --group solvers`"},
           {"eventspace group rest --name lmp --without solvers", "all other processes of the program"},
           {"eventspace group solvers", "the group's processes now"},
           {"eventspace group rows --communicator 'row*'", "the ranks of some MPI communicators"},
           {"eventspace group rows --switch off --kind mpi --class collective",
            "stops the recording of these calls"},
           {"eventspace group solvers --stop", "stops its processes until --continue"}},
      .statuses = {{exit_unreachable, "the group has no process, or the action failed in one of them"}},
      .usages = {"eventspace group [NAME]",
                 "eventspace group NAME (--name GLOB | --job ID | --group NAME | --where EXPR ...)",
                 "eventspace group NAME (--stop | --continue | --switch SETTING | --remove)"}};
  return {"group", "Name groups of running processes, for commands that choose processes",
          with_options<GroupOptions>(add_options, run_group), guide};
}

}  // namespace eventspace
