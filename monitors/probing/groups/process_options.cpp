#include "monitors/probing/groups/process_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "monitors/cli/checked_values.h"

namespace eventspace {

void add_processes(CLI::App& app, ProcessChoice& choice) {
  constexpr double largest_pid = 4194304;  // PID_MAX_LIMIT of 64-bit kernels
  app.add_option("--pid", choice.pids, "A running process; several with commas between them")
      ->type_name("N")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number_from(1, largest_pid, true));
  const auto add = [&app](const char* name, std::vector<std::string>& texts, const char* type,
                          const char* help) {
    app.add_option(name, texts, help)->type_name(type)->allow_extra_args(false);
  };
  add("--name", choice.names, "GLOB", "All running processes of programs with this name");
  add("--job", choice.jobs, "ID",
      "All ranks of this parallel job: the id of the batch system or launcher, or the pid of `mpirun`");
  add("--process", choice.recorded, "SESSION/NAME",
      "All processes that record in such a session under such a name, a glob: 'job/app.[0-3]'");
  add("--communicator", choice.communicators, "GLOB",
      "All recorded ranks that are, or were, in an MPI communicator with this name, such as 'solver'");
  add("--group", choice.groups, "NAME", "Those of a group of `eventspace group`");
  add("--within", choice.within, "NAME", "Of all these only those that are also in this group");
  add("--without", choice.without, "NAME", "Of all these only those that are not in this group");
  app.add_option("--where", choice.where,
                 "Of all these only those for which this condition holds, such as 'rank < 4' [all]")
      ->type_name("EXPR");
}

std::string ask_for_processes(const std::string& asked) {
  return fmt::format("say {}: --pid N, --name GLOB, --job ID, --group NAME or --where EXPR", asked);
}

}  // namespace eventspace
