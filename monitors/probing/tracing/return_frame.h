#pragma once

// Private to monitors/probing/tracing/.

#include <sys/user.h>

#include <cstdint>
#include <span>
#include <vector>

namespace eventspace {

/// What a thread that is made to call the system has on its stack, so that it goes on by itself as before if
/// the tool is killed meanwhile: what the kernel puts there for the handler of a signal.
///
///     address()   the address of the code that ends a handler (CallSite::restorer), to which the `ret`
///                 behind `syscall` leads
///                 ucontext: the registers and the mask of signals from before
///     64 n        the other registers of the processor, as XSAVE writes them
///
/// It is below the 128 bytes under the stack pointer that a function may use, and below the texts that calls
/// of the system are given (TextOnStack). If the tool goes on, it takes the frame away: what was there comes
/// back. All threads of the process must stand still meanwhile.
class ReturnFrame {
 public:
  /// The thread must stand still, traced by this one. `registers` are those with which it is to go on. Writes
  /// nothing if there is no restorer (0), or the stack has no room: address() is 0 then.
  ReturnFrame(std::int32_t tid, std::uint64_t restorer, const ::user_regs_struct& registers,
              std::uint64_t signals);
  ~ReturnFrame();
  ReturnFrame(const ReturnFrame&) = delete;
  ReturnFrame& operator=(const ReturnFrame&) = delete;

  /// The stack pointer for the call.
  [[nodiscard]] std::uint64_t address() const noexcept { return at_; }

 private:
  std::int32_t tid_;
  std::uint64_t at_{0};
  std::vector<std::byte> before_;
};

/// How many bytes of an XSAVE image (`state`, as PTRACE_GETREGSET brings it) a frame has to have, by the
/// parts that are in use. 0: it is none. Pure but for CPUID.
std::size_t used_bytes_of_state(std::span<const std::byte> state);

}  // namespace eventspace
