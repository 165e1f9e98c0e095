// Makes a thread stall on request (--stall), so that monitors have something to find.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eventspace::windtunnel {

enum class StallKind : std::uint8_t {
  spin,   // computes for ever
  wait,   // waits for ever in an operation: takes rows that no thread writes
  sleep,  // blocks for ever outside of any operation
};

struct StallOrder {
  std::string thread;
  std::uint64_t step = 0;  // the thread stalls before this step
  StallKind kind = StallKind::spin;
  friend bool operator==(const StallOrder&, const StallOrder&) = default;
};

// Parses THREAD@STEP[:spin|wait|sleep]; spin is the default. Throws ConfigurationError that says what was
// found and what is allowed.
StallOrder parse_stall(std::string_view text);

}  // namespace eventspace::windtunnel
