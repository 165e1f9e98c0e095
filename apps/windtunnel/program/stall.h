// Makes a thread stall on request (--stall), so that monitors have something to find.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eventspace::windtunnel {

enum class StallKind : std::uint8_t {
  spin,   // computes without end
  wait,   // waits without end in an operation: takes rows that no thread writes
  sleep,  // blocks without end outside of operations
};

struct StallOrder {
  std::string thread;
  std::uint64_t step = 0;  // the thread stalls before this step
  StallKind kind = StallKind::spin;
  friend bool operator==(const StallOrder&, const StallOrder&) = default;
};

// Parses THREAD@STEP[:spin|wait|sleep]; spin is the default. Throws ConfigurationError with the found and the
// allowed text.
StallOrder parse_stall(std::string_view text);

}  // namespace eventspace::windtunnel
