#pragma once

#include <sys/user.h>

#include <cstdint>
#include <vector>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"

namespace eventspace {

/// Code in a process that one of its threads can execute to make a system call.
struct CallSite {
  std::uint64_t instruction{0};  ///< the address of `syscall`
  /// The address of code that returns from a signal handler (`mov $15, %rax; syscall`), which every C library
  /// has. Set only if `instruction` is followed by `ret`; 0: the process does not have such code.
  std::uint64_t restorer{0};
};

/// Finds a call site in the dynamic linker, the C library or the program, otherwise in the kernel's code for
/// all processes (vdso), which lacks a restorer. Reads up to 64 MiB. Throws EnvironmentError if there is
/// none.
CallSite call_site_in(const ProcessMemory& memory, const std::vector<MappedRange>& ranges);

/// Whether a stopped thread is at the instruction of a call site or behind it, and returns from there to a
/// restorer: a tool has made it execute a system call, which it has not left yet. (A signal handler whose
/// last action is such a system call looks the same.)
bool is_in_call_of_tool(const ProcessMemory& memory, const ::user_regs_struct& registers);

}  // namespace eventspace
