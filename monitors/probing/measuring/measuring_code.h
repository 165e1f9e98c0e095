#pragma once

#include <cstdint>

#include <eventspace/tuple.h>

namespace eventspace {

/// The code that measures calls: a part of this program, which is copied into the processes that have probes.
/// It is compiled so that it can run at any address and does not refer to anything outside of itself.
///
/// It has two functions with the arguments of ProbeCall. They use only general registers and less than 1 KiB
/// of the stack, call only the code of expressions, never wait, and all their loops are bounded. They may be
/// interrupted at any instruction by a signal whose handler passes probes, too, and may be left by a handler
/// that throws or jumps.
struct MeasuringCode {
  Bytes code;
  std::uint64_t entry{0};  ///< offset of the function for entries
  std::uint64_t exit{0};   ///< offset of the function for exits
};

/// Empty on processors other than x86-64.
MeasuringCode measuring_code() noexcept;

}  // namespace eventspace
