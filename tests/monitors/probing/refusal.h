#pragma once

#include <cstdint>
#include <string>

#include <eventspace/error.h>
#include "monitors/probing/work/probed_process.h"
#include "tests/error_text.h"

namespace eventspace::testing_probing {

/// Why the process cannot have these probes; empty if it can (it had them for a moment).
inline std::string refusal_of(std::int32_t pid, const ProbePlan& plan) {
  return test::error_text<EnvironmentError>([&] { const ProbedProcess probed(pid, plan); });
}

}  // namespace eventspace::testing_probing
