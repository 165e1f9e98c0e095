#pragma once

#include <sys/user.h>

#include <cstdint>
#include <span>
#include <vector>

namespace eventspace {

/// A signal frame on the stack of a thread that is made to execute a system call. If the tool is killed
/// during the call, the thread returns through the frame, as from a signal handler, and resumes as before.
///
///     address()   the address of the code that ends a handler (CallSite::restorer), to which the `ret`
///                 behind `syscall` leads
///                 ucontext: the registers and the mask of signals from before
///     64 n        the other registers of the processor, as XSAVE writes them
///
/// The frame lies below the 128 bytes under the stack pointer that a function may use (the red zone), and
/// below the texts that are passed to system calls (TextOnStack). The destructor restores the bytes that were
/// there. All threads of the process must be stopped while the object exists.
class ReturnFrame {
 public:
  /// The thread must be stopped and traced by this process. `registers` are those with which it is to resume.
  /// Writes nothing if `restorer` is 0 or the stack is too small; address() is then 0.
  ReturnFrame(std::int32_t tid, std::uint64_t restorer, const ::user_regs_struct& registers,
              std::uint64_t signals);
  ~ReturnFrame();
  ReturnFrame(const ReturnFrame&) = delete;
  ReturnFrame& operator=(const ReturnFrame&) = delete;

  /// Leaves the frame on the stack: the thread is still in its call and will return through it.
  void leave() noexcept { at_ = 0; }

  /// The stack pointer for the call; 0: no frame was written, or it was left.
  [[nodiscard]] std::uint64_t address() const noexcept { return at_; }

 private:
  std::int32_t tid_;
  std::uint64_t at_{0};
  std::vector<std::byte> before_;
};

/// How many bytes of an XSAVE image (`state`, as PTRACE_GETREGSET returns it) a frame needs, by the
/// components that are in use. 0: the image is invalid. Pure except for CPUID.
std::size_t used_bytes_of_state(std::span<const std::byte> state);

}  // namespace eventspace
