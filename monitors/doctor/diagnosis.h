#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/doctor/machine_facts.h"

namespace eventspace {

enum class Diagnosis : std::uint8_t {
  ok,
  warn,  ///< something that many users never need is slower or does not work
  fail   ///< recording, servers or monitors do not work
};
std::string_view to_string(Diagnosis diagnosis) noexcept;

/// One line of `eventspace doctor`.
struct Finding {
  std::string check;  ///< the checked subject, such as "shared memory"
  Diagnosis diagnosis{Diagnosis::ok};
  std::string found;
  std::string advice;  ///< what to do; empty if `ok`
};

/// Judges a machine. Pure. Each check has at least one finding; a finding that is not `ok` has an advice.
std::vector<Finding> diagnose(const MachineFacts& facts);

}  // namespace eventspace
