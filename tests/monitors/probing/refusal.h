#pragma once

#include <cstdint>
#include <string>

#include <eventspace/error.h>
#include "monitors/probing/work/probed_process.h"

namespace eventspace::testing_probing {

/// Why the process cannot have these probes; empty if it can (it had them for a moment).
inline std::string refusal_of(std::int32_t pid, const ProbePlan& plan) {
  try {
    const ProbedProcess probed(pid, plan);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "";
}

}  // namespace eventspace::testing_probing
