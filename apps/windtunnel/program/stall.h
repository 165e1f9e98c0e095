// How a thread is made to stall on request (--stall), so that monitors have something to find.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eventspace::windtunnel {

enum class StallKind : std::uint8_t {
  spin,   // computes for ever
  wait,   // is stuck for ever inside an operation: takes rows that nobody will write
  sleep,  // is blocked for ever outside of any operation
};

struct StallOrder {
  std::string thread;
  std::uint64_t step = 0;  // before it does this step
  StallKind kind = StallKind::spin;
  friend bool operator==(const StallOrder&, const StallOrder&) = default;
};

// THREAD@STEP[:spin|wait|sleep], spin when nothing is said. Throws ConfigurationError that says what was
// found and what is allowed.
StallOrder parse_stall(std::string_view text);

}  // namespace eventspace::windtunnel
