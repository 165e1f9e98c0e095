#pragma once

#include <pvm3.h>

#include <array>

namespace eventspace::pvm {

/// The libraries with the functions of PVM, for a process that has opened one with dlopen.
inline constexpr std::array libraries_of_pvm{"libpvm3.so.3", "libgpvm3.so.3", "libpvm3.so"};

/// The functions and variables of PVM that this library uses. They do not communicate while the process is a
/// task. Found by name, because the process may be without PVM.
struct RealPvm {
  decltype(&::pvm_getsbuf) getsbuf{nullptr};
  decltype(&::pvm_getminfo) getminfo{nullptr};
  const int* mytid{nullptr};   ///< the task id of the process; less than 1 if it is not a task
  int* traced_level{nullptr};  ///< with 0, PVM's own tracing does not see calls

  [[nodiscard]] bool is_whole() const noexcept {
    return getsbuf != nullptr && getminfo != nullptr && mytid != nullptr && traced_level != nullptr;
  }
  /// The task id of this process; 0 if it is not a task, or PVM is incomplete.
  [[nodiscard]] int task() const noexcept { return is_whole() && *mytid > 0 ? *mytid : 0; }
};

/// Finds them once, at the first PVM call. Thread-safe.
const RealPvm& real_pvm() noexcept;

/// Gets PVM's data on the message in a buffer. Returns whether there is one.
bool message_in(int buffer, pvmminfo& message) noexcept;
/// The same for the message to be sent next.
bool message_to_send(pvmminfo& message) noexcept;

}  // namespace eventspace::pvm
