#include "monitors/probing/functions_command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "monitors/cli/options.h"
#include "monitors/probing/function_rows.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/process_options.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

struct FunctionsOptions {
  ProcessChoice processes;
  std::vector<std::string> files;
  std::string modules;
  FunctionChoice functions;
  bool is_summary{false};
  bool user_probes{false};
  Format format{Format::text};
};

ModuleList read_modules(const FunctionsOptions& options) {
  if (options.processes.is_empty() && options.files.empty())
    throw ConfigurationError(ask_for_processes("whose functions") + " (running programs), or --file FILE");
  ModuleList list = modules_of_files(options.files);
  if (options.processes.is_empty()) return list;
  ModuleList running = modules_of_processes(chosen_processes(options.processes), options.modules);
  std::ranges::move(running.modules, std::back_inserter(list.modules));
  list.complaints = std::move(running.complaints);
  for (const std::string& complaint : list.complaints) print_message(complaint);
  return list;
}

int say_nothing_found(const std::string& what, std::size_t looked_at, const ModuleList& list) {
  print_message(fmt::format("no {} among the {} of {} matches", what, counted(looked_at, what),
                            counted(list.modules.size(), "module")));
  return exit_unreachable;
}

int list_user_probes(const FunctionsOptions& options, const ModuleList& list) {
  ResultTable table = user_probe_table();
  std::size_t looked_at = 0;
  for (const ListedModule& module : list.modules) {
    looked_at += module.symbols.user_probes.size();
    add_user_probes(table, module, options.functions.pattern);
  }
  if (table.is_empty()) return say_nothing_found("USDT probe", looked_at, list);
  table.print(std::cout, options.format);
  return exit_fine;
}

int list_functions(const FunctionsOptions& options, const ModuleList& list) {
  ResultTable table = function_table();
  FunctionTally all;
  for (const ListedModule& module : list.modules) {
    const FunctionTally tally = add_functions(table, module, options.functions);
    all.looked_at += tally.looked_at;
    all.shown += tally.shown;
  }
  if (table.is_empty()) return say_nothing_found("function", all.looked_at, list);
  table.print(std::cout, options.format);
  return exit_fine;
}

int list(const FunctionsOptions& options) {
  require_glob("the pattern", options.functions.pattern);
  require_glob("the pattern of --callers-of", options.functions.callers_of);
  require_glob("the pattern of --module", options.modules);
  const ModuleList list = read_modules(options);
  if (list.modules.empty()) {
    print_message("no module matches, or none can be read");
    return exit_unreachable;
  }
  if (options.user_probes) return list_user_probes(options, list);
  if (!options.is_summary) return list_functions(options, list);
  ResultTable table = summary_table();
  for (const ListedModule& module : list.modules) add_summary(table, module);
  table.print(std::cout, options.format);
  return exit_fine;
}

void add_options(CLI::App& app, FunctionsOptions& options) {
  app.add_option("PATTERN", options.functions.pattern,
                 "Only functions with this name, a glob such as 'solve*' [all]");
  add_processes(app, options.processes);
  app.add_option("--file", options.files, "Those of this program or library")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--module", options.modules,
                 "Only those of programs and libraries with this path or file name [all]")
      ->type_name("GLOB");
  app.add_option("--callers-of", options.functions.callers_of,
                 "Only functions that call one of this name in the same module")
      ->type_name("GLOB");
  app.add_flag("--possible", options.functions.can_be_probed_only, "Only functions that can have a probe");
  CLI::Option* const usdt =
      app.add_flag("--usdt", options.user_probes, "The probes that authors have put in for tracers (USDT)");
  app.add_flag("--summary", options.is_summary,
               "A line for each module: how many can have a probe, and why not")
      ->excludes(usdt);
  add_format(app, options.format);
}

}  // namespace

Command functions_command() {
  const CommandGuide guide{
      .group = CommandGroup::machine,
      .examples = {{"eventspace functions 'solve*' --name lmp",
                    "where the solver is, in a program that runs"},
                   {"eventspace functions --file ./app --summary", "how many functions can have a probe"},
                   {"eventspace functions --pid 4711 --module 'libmpi*' --format json", "for scripts"}},
      .statuses = {{exit_unreachable, "no function matches, or a process may not be looked into"}}};
  return {"functions",
          "Lists the functions of programs that run, or of files, and which can have a probe",
          [](CLI::App& app) {
            const auto options = std::make_shared<FunctionsOptions>();
            add_options(app, *options);
            return [options] { return list(*options); };
          },
          {},
          guide};
}

}  // namespace eventspace
