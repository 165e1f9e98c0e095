#include "monitors/probing/tracing/return_frame.h"

#include <cpuid.h>
#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace eventspace {
namespace {

// The layout of arch/x86/include/uapi/asm/ucontext.h, which cannot be included together with the C library's.
struct KernelContext {
  std::uint64_t flags{0};
  std::uint64_t link{0};
  std::uint64_t stack[3]{};  // signal stack of size 0: unchanged
  ::sigcontext registers{};
  std::uint64_t signals{0};
};
static_assert(sizeof(KernelContext) == 40 + 256 + 8);

constexpr std::uint64_t has_xstate = 1;
constexpr std::uint64_t has_stack_segment = 2;
constexpr std::uint64_t takes_stack_segment = 4;
constexpr std::size_t legacy_bytes = 512;  // of an XSAVE image; its head of 64 bytes follows
constexpr std::size_t min_state_bytes = legacy_bytes + 64;
constexpr std::size_t max_state_bytes = 16384;
constexpr std::uint64_t distance = 128 + 1024;  // below the stack pointer: the red zone and TextOnStack
constexpr std::size_t return_bytes = 8;

std::vector<std::byte> state_of(std::int32_t tid) {
  std::vector<std::byte> state(max_state_bytes);
  ::iovec vector{state.data(), state.size()};
  if (::ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vector) != 0) return {};
  state.resize(vector.iov_len);
  return state;
}

/// The state in the form that the kernel expects in a frame; empty if it is invalid.
std::vector<std::byte> state_for_frame(std::vector<std::byte> state) {
  const std::size_t used = used_bytes_of_state(state);
  if (used == 0) return {};
  state.resize(used);
  ::_fpx_sw_bytes words{};
  std::uint64_t features = 0;
  std::memcpy(&features, state.data() + legacy_bytes, sizeof features);
  words.magic1 = FP_XSTATE_MAGIC1;
  words.extended_size = static_cast<std::uint32_t>(used + FP_XSTATE_MAGIC2_SIZE);
  words.xstate_bv = features | 3;  // x87 and SSE registers are always present
  words.xstate_size = static_cast<std::uint32_t>(used);
  std::memcpy(state.data() + legacy_bytes - sizeof words, &words, sizeof words);
  const std::uint32_t end = FP_XSTATE_MAGIC2;
  state.resize(used + sizeof end);
  std::memcpy(state.data() + used, &end, sizeof end);
  return state;
}

::sigcontext context_of(const ::user_regs_struct& registers) {
  ::sigcontext context{};
  context.r8 = registers.r8;
  context.r9 = registers.r9;
  context.r10 = registers.r10;
  context.r11 = registers.r11;
  context.r12 = registers.r12;
  context.r13 = registers.r13;
  context.r14 = registers.r14;
  context.r15 = registers.r15;
  context.rdi = registers.rdi;
  context.rsi = registers.rsi;
  context.rbp = registers.rbp;
  context.rbx = registers.rbx;
  context.rdx = registers.rdx;
  context.rax = registers.rax;
  context.rcx = registers.rcx;
  context.rsp = registers.rsp;
  context.rip = registers.rip;
  context.eflags = registers.eflags;
  context.cs = static_cast<std::uint16_t>(registers.cs);
  context.__pad0 = static_cast<std::uint16_t>(registers.ss);  // the field has this name in the C library
  return context;
}

bool copy_from(std::int32_t tid, std::uint64_t at, std::vector<std::byte>& bytes) {
  const ::iovec here{bytes.data(), bytes.size()};
  const ::iovec there{reinterpret_cast<void*>(at), bytes.size()};  // NOLINT(performance-no-int-to-ptr)
  return ::process_vm_readv(tid, &here, 1, &there, 1, 0) == static_cast<::ssize_t>(bytes.size());
}

bool copy_to(std::int32_t tid, std::uint64_t at, std::vector<std::byte>& bytes) {
  const ::iovec here{bytes.data(), bytes.size()};
  const ::iovec there{reinterpret_cast<void*>(at), bytes.size()};  // NOLINT(performance-no-int-to-ptr)
  return ::process_vm_writev(tid, &here, 1, &there, 1, 0) == static_cast<::ssize_t>(bytes.size());
}

}  // namespace

std::size_t used_bytes_of_state(std::span<const std::byte> state) {
  if (state.size() < min_state_bytes) return 0;
  std::uint64_t features = 0;
  std::memcpy(&features, state.data() + legacy_bytes, sizeof features);
  std::size_t used = min_state_bytes;
  constexpr unsigned leaf_of_xsave = 13;
  for (unsigned part = 2; part < 63; ++part) {
    if ((features >> part & 1) == 0) continue;
    unsigned bytes = 0;
    unsigned offset = 0;
    unsigned other = 0;
    unsigned more = 0;
    if (__get_cpuid_count(leaf_of_xsave, part, &bytes, &offset, &other, &more) == 0) return 0;
    used = std::max<std::size_t>(used, std::size_t{offset} + bytes);
  }
  return used <= state.size() ? used : 0;
}

ReturnFrame::ReturnFrame(std::int32_t tid, std::uint64_t restorer, const ::user_regs_struct& registers,
                         std::uint64_t signals)
    : tid_(tid) {
  const std::vector<std::byte> state =
      restorer == 0 ? std::vector<std::byte>() : state_for_frame(state_of(tid));
  if (state.empty()) return;
  const std::uint64_t state_at = (registers.rsp - distance - state.size()) & ~std::uint64_t{63};
  // After the return, the kernel expects the stack pointer to be aligned as at a function call.
  const std::uint64_t at = ((state_at - sizeof(KernelContext)) & ~std::uint64_t{15}) - return_bytes;
  KernelContext context;
  context.flags = has_xstate | has_stack_segment | takes_stack_segment;
  context.registers = context_of(registers);
  context.registers.fpstate = reinterpret_cast<::_fpstate*>(state_at);  // NOLINT(performance-no-int-to-ptr)
  context.signals = signals;
  std::vector<std::byte> frame(state_at + state.size() - at);
  std::memcpy(frame.data(), &restorer, sizeof restorer);
  std::memcpy(frame.data() + return_bytes, &context, sizeof context);
  std::ranges::copy(state, frame.begin() + static_cast<std::ptrdiff_t>(state_at - at));
  before_.resize(frame.size());
  if (copy_from(tid, at, before_) && copy_to(tid, at, frame)) at_ = at;
}

ReturnFrame::~ReturnFrame() {
  if (at_ != 0) (void)copy_to(tid_, at_, before_);  // failure means that the process was killed
}

}  // namespace eventspace
