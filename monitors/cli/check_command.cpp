#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "monitors/cli/command.h"
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/pathmap_input.h"
#include "monitors/cli/result_table.h"
#include "monitors/text/counted.h"
#include "pathmaps/sessions/session_security.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

struct CheckOptions {
  std::filesystem::path pathmap;
  bool no_load{false};
  Format format{Format::text};
};

// Empty if there are none, because most applications do not use collectives.
std::string collectives_of(const Plan& plan) {
  if (plan.collectives.empty()) return "";
  return fmt::format("{} with {}, ", counted(plan.collectives.size(), "collective"),
                     counted(plan.joints.size(), "joint"));
}

std::string own_paths_of(const Plan& plan) {
  if (plan.parts.empty()) return "";
  return fmt::format(" ({} with {})", counted(plan.parts.size(), "part"),
                     counted(plan.paths.size() - plan.path_count(), "path"));
}

/// Libraries and commands that a pathmap makes programs load and run.
struct Foreign {
  std::vector<NamedLibrary> libraries;
  std::vector<const NodePlan*> launched;  ///< nodes with a launcher
  bool are_loaded{true};                  ///< the libraries
};

Foreign foreign_of(const LoadResult& loaded, bool no_load) {
  Foreign foreign{loaded.libraries, {}, !no_load};
  for (const NodePlan& node : loaded.plan->nodes)
    if (!node.launch.empty()) foreign.launched.push_back(&node);
  return foreign;
}

std::string scopes_of(const Plan& plan, const Foreign& foreign) {
  if (!foreign.are_loaded && !foreign.libraries.empty()) return "scopes not built";
  return counted(plan.scopes.size(), "scope") + own_paths_of(plan);
}

void print_text(const Plan& plan, const Foreign& foreign) {
  std::cout << fmt::format("{}: fine; {}, {}, {}, {}, {}, {}{}, {}\n", plan.name,
                           counted(plan.nodes.size(), "node"), counted(plan.processes.size(), "process"),
                           counted(plan.thread_count(), "thread"), counted(plan.element_count(), "element"),
                           counted(plan.path_count(), "path"), collectives_of(plan),
                           counted(plan.traces.size(), "trace element"), scopes_of(plan, foreign));
  for (const NamedLibrary& library : foreign.libraries) {
    std::cout << fmt::format("wrapper {} {} {}\n", library.wrapper,
                             foreign.are_loaded ? "is loaded from" : "would be loaded from",
                             escaped(library.file.string()));
  }
  for (const NodePlan* node : foreign.launched) {
    std::cout << fmt::format("node {} is started with: {}\n", node->name,
                             escaped(fmt::format("{}", fmt::join(node->launch, " "))));
  }
}

Json libraries_of(const Foreign& foreign) {
  Json libraries = Json::array();
  for (const NamedLibrary& library : foreign.libraries)
    libraries.add(Json::object({{"wrapper", library.wrapper}, {"file", library.file.string()}}));
  return libraries;
}

Json launchers_of(const Foreign& foreign) {
  Json launchers = Json::array();
  for (const NodePlan* node : foreign.launched) {
    Json words = Json::array();
    for (const std::string& word : node->launch) words.add(word);
    launchers.add(Json::object({{"node", node->name}, {"command", words}}));
  }
  return launchers;
}

void print_summary(const Plan& plan, const Foreign& foreign, Format format) {
  if (format == Format::text) return print_text(plan, foreign);
  ResultTable table({"name", "nodes", "processes", "threads", "elements", "paths", "trace_elements", "scopes",
                     "fingerprint", "collectives", "joints", "scope_parts", "scope_paths", "libraries",
                     "launchers"});
  table.add({plan.name, plan.nodes.size(), plan.processes.size(), plan.thread_count(), plan.element_count(),
             plan.path_count(), plan.traces.size(), plan.scopes.size(),
             fmt::format("{:016x}", plan.fingerprint), plan.collectives.size(), plan.joints.size(),
             plan.parts.size(), plan.paths.size() - plan.path_count(), libraries_of(foreign),
             launchers_of(foreign)});
  table.print(std::cout, format);
}

void print_faults(const std::vector<Fault>& faults, Format format) {
  ResultTable table({"file", "line", "column", "error"});
  for (const Fault& fault : faults) table.add({fault.file, fault.line, fault.column, fault.text});
  table.print(std::cout, format);
}

int check(const CheckOptions& options) {
  const LoadResult loaded = load_pathmap(options.pathmap, {.load_libraries = !options.no_load});
  if (!loaded.plan && options.format == Format::text) throw FaultyPathmap(options.pathmap, loaded.faults);
  if (!loaded.plan) {
    print_faults(loaded.faults, options.format);
    return exit_usage;
  }
  print_summary(*loaded.plan, foreign_of(loaded, options.no_load), options.format);
  if (const std::string open = open_endpoints(*loaded.plan); !open.empty())
    std::cerr << "warning: `security: none`: every process that can connect to " << escaped(open)
              << " can read, write and stop everything\n";
  return exit_fine;
}

}  // namespace

Command check_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::pathmaps,
      .place = 1,
      .examples = {{"eventspace check app.yaml", "all faults of the pathmap with their places, or a summary"},
                   {"eventspace check app.yaml --no-load",
                    "a pathmap of another user: none of its code is loaded"}},
      .statuses = {{exit_usage, "the pathmap has faults, or usage error"}}};
  return {"check", "Check a pathmap and summarise it",
          with_options<CheckOptions>(
              [](CLI::App& app, CheckOptions& options) {
                add_pathmap(app, options.pathmap);
                add_format(app, options.format);
                app.add_flag("--no-load", options.no_load,
                             "Do not load shared objects of the pathmap; the parameters of their wrappers "
                             "are not checked");
              },
              check),
          guide};
}

}  // namespace eventspace
