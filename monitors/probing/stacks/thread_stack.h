#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/stacks/thread_copy.h"

namespace eventspace {

/// A function on the stack of a thread.
struct StackFrame {
  std::uint64_t address{0};  ///< in the process; for a caller, its return address
  std::string function;      ///< demangled; empty: unknown
  std::string source;        ///< "app.c:12"; empty: unknown
  std::string module;        ///< the path of the file, or "[vdso]"; empty: the code is not in a file
};

/// The stack of a thread.
struct ThreadStack {
  std::vector<StackFrame> frames;      ///< the innermost first
  bool is_whole{false};                ///< false: the callers of the last frame could not be found
  std::chrono::nanoseconds stopped{};  ///< how long the thread was stopped
};

/// Whether this build can unwind stacks (it was built with elfutils).
bool can_unwind() noexcept;

/// Unwinds the stack of a thread. Its registers and stack are copied while it is stopped (copy_thread).
/// Unwinding, which takes longer, works on the copy, with the tables for exceptions and debuggers in the
/// program's files. Inlined functions do not have frames. Throws EnvironmentError with the reason if the
/// thread cannot be copied, and in builds without elfutils. Thread-safe.
ThreadStack stack_of_thread(std::int32_t pid, std::int32_t tid, const CopyLimits& limits = {});

/// "solve (app.c:12)", "memcpy in libc.so.6", "0x7f0012 in [heap]": for display.
std::string describe_frame(const StackFrame& frame);

}  // namespace eventspace
