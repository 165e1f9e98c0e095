#include "monitors/probing/process_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "monitors/cli/checked_values.h"
#include "paths/parameters/glob.h"
#include "tuplespace/system/error.h"

namespace eventspace {

void add_processes(CLI::App& app, ProcessChoice& choice) {
  constexpr double largest_pid = 4194304;  // PID_MAX_LIMIT of 64-bit kernels
  app.add_option("--pid", choice.pids, "A running process; several with commas between them")
      ->type_name("N")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number_from(1, largest_pid, true));
  app.add_option("--name", choice.names, "All running processes of programs with this name")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

void require_glob(const std::string& what, const std::string& pattern) {
  const auto fault = pattern.empty() ? std::string_view() : glob_fault(pattern);
  if (!fault.empty()) throw ConfigurationError(fmt::format("{} '{}' {}", what, pattern, fault));
}

}  // namespace eventspace
