#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "monitors/probing/measuring/probe_task.h"
#include "tests/monitors/probing/target.h"

namespace eventspace::testing_probing {

/// Whether fault_app or odd_app has reached its main(). Its functions are mapped before its dynamic linker
/// has set up its thread so that it can have probes.
inline bool is_in_main(std::int32_t pid) {
  const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
  const std::size_t caught = status.find("SigCgt:");
  constexpr std::uint64_t of_the_program = 1U << (SIGTERM - 1);
  return caught != std::string::npos &&
         (std::stoull(status.substr(caught + 7), nullptr, 16) & of_the_program) != 0;
}

/// A task that measures calls from entry to exit.
inline CompiledTask timed_task() {
  ProbeTask task;
  task.has_times = true;
  return compile_task(task);
}

}  // namespace eventspace::testing_probing
