#include "monitors/cli/check_command.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "pathmaps/sessions/session_security.h"

namespace eventspace {
namespace {

struct CheckOptions {
  std::filesystem::path pathmap;
  Format format{Format::text};
};

// Empty when there are none, because most applications have no collectives.
std::string collectives_of(const Plan& plan) {
  if (plan.collectives.empty()) return "";
  return fmt::format("{} collectives with {} joints, ", plan.collectives.size(), plan.joints.size());
}

std::string own_paths_of(const Plan& plan) {
  if (plan.parts.empty()) return "";
  return fmt::format(", whose {} parts have {} paths of their own", plan.parts.size(),
                     plan.paths.size() - plan.path_count());
}

void print_summary(const Plan& plan, Format format) {
  if (format == Format::text) {
    std::cout << fmt::format(
        "{}: fine; {} nodes, {} processes, {} threads, {} elements, {} paths, {}{} trace elements, {} "
        "scopes{}\n",
        plan.name, plan.nodes.size(), plan.processes.size(), plan.thread_count(), plan.element_count(),
        plan.path_count(), collectives_of(plan), plan.traces.size(), plan.scopes.size(), own_paths_of(plan));
    return;
  }
  ResultTable table({"name", "nodes", "processes", "threads", "elements", "paths", "trace_elements", "scopes",
                     "fingerprint", "collectives", "joints", "scope_parts", "scope_paths"});
  table.add({plan.name, plan.nodes.size(), plan.processes.size(), plan.thread_count(), plan.element_count(),
             plan.path_count(), plan.traces.size(), plan.scopes.size(),
             fmt::format("{:016x}", plan.fingerprint), plan.collectives.size(), plan.joints.size(),
             plan.parts.size(), plan.paths.size() - plan.path_count()});
  table.print(std::cout, format);
}

void print_faults(const std::vector<Fault>& faults, Format format) {
  ResultTable table({"file", "line", "column", "error"});
  for (const Fault& fault : faults) table.add({fault.file, fault.line, fault.column, fault.text});
  table.print(std::cout, format);
}

int check(const CheckOptions& options) {
  try {
    const auto plan = read_pathmap(options.pathmap);
    print_summary(*plan, options.format);
    if (const std::string open = open_endpoints(*plan); !open.empty())
      std::cerr << "warning: `security: none`: whoever reaches " << open
                << " can read, write and stop everything\n";
  } catch (const FaultyPathmap& error) {
    if (options.format == Format::text) throw;
    print_faults(error.faults(), options.format);
    return exit_usage;
  }
  return exit_fine;
}

}  // namespace

Command check_command() {
  return {"check", "Says what is wrong with a pathmap, or what there is in it", [](CLI::App& app) {
            const auto options = std::make_shared<CheckOptions>();
            add_pathmap(app, options->pathmap);
            add_format(app, options->format);
            return [options] { return check(*options); };
          }};
}

}  // namespace eventspace
