#pragma once

// Private to monitors/.

#include <cstdint>

#include "tuplespace/tuple.h"

namespace eventspace {

/// The code that measures calls: a piece of this program, compiled so that it can run at any address and
/// needs nothing outside of itself, which is copied into the processes that have probes.
///
/// Two functions with the arguments of ProbeCall. They use general registers and less than 1 KiB of the stack
/// only, call nothing but the code of expressions, never wait, and have no loop without a bound. They may be
/// interrupted at any instruction by a signal whose handler passes probes, too, and may be left by a handler
/// that throws or jumps.
struct MeasuringCode {
  Bytes code;
  std::uint64_t entry{0};  ///< the offset of the function for entries
  std::uint64_t exit{0};   ///< and for exits
};

/// Empty on other processors than x86-64.
MeasuringCode measuring_code() noexcept;

}  // namespace eventspace
