#pragma once

// Private to pathmaps/.

#include <pvm3.h>

#include <array>

namespace eventspace::pvm {

/// Those that have the functions of PVM, in a process that has opened one for itself.
inline constexpr std::array libraries_of_pvm{"libpvm3.so.3", "libgpvm3.so.3", "libpvm3.so"};

/// What this library uses of PVM. Nothing of it communicates while the process is a task. Found by name,
/// because the process may have no PVM.
struct RealPvm {
  decltype(&::pvm_getsbuf) getsbuf{nullptr};
  decltype(&::pvm_getminfo) getminfo{nullptr};
  const int* mytid{nullptr};   ///< the task that the process is; less than 1: it is none
  int* traced_level{nullptr};  ///< 0: PVM's own tracing does not see calls

  [[nodiscard]] bool is_whole() const noexcept {
    return getsbuf != nullptr && getminfo != nullptr && mytid != nullptr && traced_level != nullptr;
  }
  /// The number of the task that this process is; 0 if it is none, or PVM is not whole.
  [[nodiscard]] int task() const noexcept { return is_whole() && *mytid > 0 ? *mytid : 0; }
};

/// Looks for them once, at the first call of PVM. Thread-safe.
const RealPvm& real_pvm() noexcept;

/// What PVM says of the message in a buffer. Returns whether there is one.
bool message_in(int buffer, pvmminfo& message) noexcept;
/// The same of the message that is sent next.
bool message_to_send(pvmminfo& message) noexcept;

}  // namespace eventspace::pvm
