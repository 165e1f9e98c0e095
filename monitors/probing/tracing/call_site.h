#pragma once

// Private to monitors/.

#include <cstdint>
#include <vector>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"

namespace eventspace {

/// The code of a process with which a thread of it can be made to call the system.
struct CallSite {
  std::uint64_t instruction{0};  ///< the address of `syscall`
  /// The address of code that ends the handler of a signal (`mov $15, %rax; syscall`), as every C library has
  /// it, if `instruction` is followed by `ret`; 0: the process has no such code.
  std::uint64_t restorer{0};
};

/// Finds it: in the dynamic linker, the C library or the program, and otherwise in the kernel's code for all
/// processes (vdso), without restorer. Reads at most 64 MiB. Throws EnvironmentError if it has none.
CallSite call_site_in(const ProcessMemory& memory, const std::vector<MappedRange>& ranges);

}  // namespace eventspace
