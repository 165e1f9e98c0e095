#include "monitors/probing/groups/process_options.h"

#include <CLI/CLI.hpp>

#include "monitors/cli/checked_values.h"
#include "monitors/cli/options.h"

namespace eventspace {

void add_processes(CLI::App& app, ProcessChoice& choice) {
  constexpr double largest_pid = 4194304;  // PID_MAX_LIMIT of 64-bit kernels
  app.add_option("--pid", choice.pids, "Choose the process with this pid; several are separated by commas")
      ->type_name("N")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number_from(1, largest_pid, true))
      ->group(process_options);
  const auto add = [&app](const char* name, std::vector<std::string>& texts, const char* type,
                          const char* help) {
    app.add_option(name, texts, help)->type_name(type)->allow_extra_args(false)->group(process_options);
  };
  add("--name", choice.names, "GLOB", "Choose the processes of programs with this name");
  add("--job", choice.jobs, "ID",
      "Choose the ranks of this parallel job: the id of the batch system or launcher, or the pid of "
      "`mpirun`");
  add("--process", choice.recorded, "SESSION/NAME",
      "Choose recorded processes by session and name, such as 'job/app.[0-3]'");
  add("--communicator", choice.communicators, "GLOB",
      "Choose the ranks of MPI communicators with this name, such as 'solver'");
  add("--group", choice.groups, "NAME", "Choose the processes of this group (see `group`)");
  add("--within", choice.within, "NAME", "Restrict the choice to processes of this group");
  add("--without", choice.without, "NAME", "Restrict the choice to processes outside this group");
  app.add_option("--where", choice.where,
                 "Restrict the choice to processes for which this condition holds, such as 'rank < 4' [all]")
      ->type_name("EXPR")
      ->group(process_options);
}

std::string ask_for_processes() {
  return "no processes are chosen; use --pid N, --name GLOB, --job ID, --group NAME or --where EXPR";
}

}  // namespace eventspace
