#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/named_groups.h"
#include "monitors/probing/groups/process_options.h"
#include "monitors/probing/listing/function_rows.h"
#include "monitors/probing/nodes/function_listing.h"
#include "monitors/probing/nodes/node_work.h"
#include "monitors/probing/work/module_list.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "pathmaps/plan/session_plan.h"

namespace eventspace {
namespace {

struct FunctionsOptions {
  NodeChoice nodes;
  ProcessChoice processes;
  std::vector<std::string> files;
  std::string modules;
  FunctionChoice functions;
  bool is_summary{false};
  bool user_probes{false};
  bool is_without_classes{false};
  Format format{Format::text};
};

Listing listing_of(const FunctionsOptions& options) {
  return options.is_summary    ? Listing::summary
         : options.user_probes ? Listing::user_probes
                               : Listing::functions;
}

/// The result, while it is put together.
struct Found {
  ResultTable table;
  std::uint64_t looked_at{0};
  std::size_t modules{0};
};

void add(Found& found, Listing listing, const ModuleInTable& module, const ListedRows& listed) {
  ++found.modules;
  found.looked_at += listed.looked_at;
  for (const ListedRow& row : listed.rows) add_row(found.table, listing, module, row);
}

int show(const Found& found, const FunctionsOptions& options) {
  if (found.modules == 0) {
    print_message("found no module that matches and can be read");
    return exit_unreachable;
  }
  if (found.table.is_empty()) {
    const std::string what(name_of(listing_of(options)));
    print_message(fmt::format("no {} matches; searched {} in {}", what, counted(found.looked_at, what),
                              counted(found.modules, "module")));
    return exit_unreachable;
  }
  found.table.print(std::cout, options.format);
  return exit_fine;
}

ModuleList read_modules(const FunctionsOptions& options) {
  if (options.processes.is_empty() && options.files.empty())
    throw ConfigurationError(ask_for_processes() + ", or --file FILE for files");
  ModuleList list = modules_of_files(options.files);
  if (options.processes.is_empty()) return list;
  ModuleList running = modules_of_processes(chosen_processes(options.processes), options.modules);
  std::ranges::move(running.modules, std::back_inserter(list.modules));
  list.complaints = std::move(running.complaints);
  for (const std::string& complaint : list.complaints) print_message(complaint);
  return list;
}

int list_here(const FunctionsOptions& options) {
  const Listing listing = listing_of(options);
  Found found{table_of(listing)};
  for (const ListedModule& module : read_modules(options).modules)
    add(found, listing,
        {module.path, module.symbols.build_id, Json(fmt::format("{}", fmt::join(module.pids, " ")))},
        rows_of(listing, options.functions, module.symbols, module.file));
  return show(found, options);
}

ListingOrder order_of(const FunctionsOptions& options) {
  ListingOrder order;
  order.step = options.is_without_classes ? ListingStep::read_apart : ListingStep::classify;
  order.choice = processes_on(options.nodes, options.processes);
  if (order.choice.is_empty()) throw ConfigurationError(ask_for_processes());
  check_choice(order.choice);
  if (!order.choice.named_groups().empty()) order.groups = groups_needed(order.choice, NamedGroups::all());
  order.modules = options.modules;
  order.listing = listing_of(options);
  order.functions = options.functions;
  check_listing(order);
  return order;
}

int list_by_classes(const FunctionsOptions& options) {
  if (!options.files.empty())
    throw ConfigurationError(
        "--file cannot be combined with a pathmap, --hosts or --no-classes: files are read on this machine");
  const ListingOrder order = order_of(options);
  ListingAnswer answer = list_on_nodes(order, options.nodes);
  answer.refusals.report();
  if (answer.left_out > 0)
    print_message(
        fmt::format("{} more rows did not fit into the answer; list fewer functions with PATTERN or --module",
                    answer.left_out));
  if (answer.processes == 0) print_message("no process matches on any machine");
  std::ranges::stable_sort(answer.classes, {}, [](const ListedClass& one) { return one.module.path; });
  Found found{table_of(order.listing)};
  for (const auto& [module, listed] : answer.classes)
    add(found, order.listing, {module.path, module.build_id(), module.processes}, listed);
  return show(found, options);
}

int list(FunctionsOptions& options) {
  // `functions PATHMAP` is called without a pattern. A function name cannot look like a pathmap.
  const std::string& pattern = options.functions.pattern;
  if (options.nodes.is_here() && looks_like_pathmap(pattern))
    options.nodes.pathmap = std::exchange(options.functions.pattern, {});
  check_nodes(options.nodes, options.processes);
  require_glob("the pattern", options.functions.pattern);
  require_glob("the pattern of --callers-of", options.functions.callers_of);
  require_glob("the pattern of --module", options.modules);
  return options.nodes.is_here() && !options.is_without_classes ? list_here(options)
                                                                : list_by_classes(options);
}

void add_options(CLI::App& app, FunctionsOptions& options) {
  app.add_option("PATTERN", options.functions.pattern,
                 "Only functions with this name, such as 'solve*' [all]");
  add_nodes(app, options.nodes);
  add_processes(app, options.processes);
  app.add_option("--file", options.files, "List functions of this program or library")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--module", options.modules,
                 "Only functions of programs and libraries with this path or file name [all]")
      ->type_name("GLOB");
  app.add_option("--callers-of", options.functions.callers_of,
                 "Show only functions that call one of this name in the same module")
      ->type_name("GLOB");
  app.add_flag("--possible", options.functions.can_be_probed_only,
               "Show only functions that can have a probe");
  CLI::Option* const usdt =
      app.add_flag("--usdt", options.user_probes, "List the probes in the source for tracers (USDT)");
  app.add_flag("--summary", options.is_summary,
               "Print a line for each module: how many functions can have a probe, and why others cannot")
      ->excludes(usdt);
  app.add_flag("--no-classes", options.is_without_classes,
               "Analyse each module separately in each process, for comparison; the result is the same");
  add_format(app, options.format);
}

}  // namespace

Command functions_command() {
  const CommandGuide guide{
      .group = CommandGroup::machine,
      .examples = {{"eventspace functions 'solve*' --name lmp",
                    "the functions of the solver in a running program"},
                   {"eventspace functions 'solve*' app.yaml", "on all machines of a session"},
                   {"eventspace functions --file ./app --summary", "how many functions can have a probe"},
                   {"eventspace functions --pid 4711 --module 'libmpi*' --format json", "for scripts"}},
      .statuses = {{exit_unreachable, "no function matches, or a process may not be examined"}}};
  return {"functions", "List functions of running programs or files, and which can have a probe",
          with_options<FunctionsOptions, FunctionsOptions&>(add_options, list), guide};
}

}  // namespace eventspace
