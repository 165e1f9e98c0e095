#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/stacks/thread_copy.h"

namespace eventspace {

/// A function that a thread is in.
struct StackFrame {
  std::uint64_t address{0};  ///< in the process; of a caller, where it goes on
  std::string function;      ///< demangled; empty: not known
  std::string source;        ///< "app.c:12"; empty: not known
  std::string module;        ///< the path of the file, or "[vdso]"; empty: code in no file
};

/// Where a thread is.
struct ThreadStack {
  std::vector<StackFrame> frames;      ///< the innermost first
  bool is_whole{false};                ///< false: the callers of the last frame could not be found
  std::chrono::nanoseconds stopped{};  ///< how long the thread stood still
};

/// Whether this build can unwind stacks (it was built with elfutils).
bool can_unwind() noexcept;

/// Finds out where a thread is. Its registers and stack are copied while it stands still (copy_thread);
/// unwinding, which takes longer, works on the copy, by the tables for exceptions and debuggers in the
/// program's files. Inlined functions have no frame of their own. Throws EnvironmentError with the reason if
/// the thread cannot be looked at, or in builds without elfutils. Thread-safe.
ThreadStack stack_of_thread(std::int32_t pid, std::int32_t tid, const CopyLimits& limits = {});

/// "solve (app.c:12)", "memcpy in libc.so.6", "0x7f0012 in [heap]": for people.
std::string describe_frame(const StackFrame& frame);

}  // namespace eventspace
