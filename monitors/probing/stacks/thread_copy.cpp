#include "monitors/probing/stacks/thread_copy.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/traced_thread.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

constexpr std::uint64_t red_zone = 128;  // below the stack pointer, which a function may use too

std::array<std::uint64_t, 17> in_dwarf_order(const ::user_regs_struct& r) {
  return {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
          r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
}

/// The end of the mapping in which the address is; an address outside all has what is next to it.
std::uint64_t end_of_mapping(const std::vector<MappedRange>& ranges, std::uint64_t address) {
  constexpr std::uint64_t page = 4096;
  const auto found = std::ranges::find_if(
      ranges, [address](const MappedRange& range) { return address >= range.begin && address < range.end; });
  return found == ranges.end() ? (address | (page - 1)) + 1 : found->end;
}

void copy_stack(std::int32_t pid, const std::vector<MappedRange>& ranges, std::size_t most,
                ThreadCopy& copy) {
  const std::uint64_t pointer = copy.registers[ThreadCopy::stack_pointer];
  const std::uint64_t end = end_of_mapping(ranges, pointer);
  copy.stack_at = pointer - std::min(pointer, red_zone);
  const std::uint64_t whole = end - copy.stack_at;
  copy.stack.resize(std::min<std::uint64_t>(whole, most));
  copy.is_cut = copy.stack.size() < whole;
  ::iovec here{copy.stack.data(), copy.stack.size()};
  ::iovec there{reinterpret_cast<void*>(copy.stack_at), copy.stack.size()};
  const ::ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  copy.stack.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
}

ThreadCopy copy_here(std::int32_t pid, std::int32_t tid, const CopyLimits& limits) {
  constexpr std::uint64_t code_segment_of_32_bits = 0x23;
  // Read before the thread stands still, since that takes long for a process with many mappings.
  const std::vector<MappedRange> ranges = mapped_ranges(pid);
  TracedThread thread(pid, tid);
  const auto failure = [&](std::string_view why) {
    return EnvironmentError(fmt::format("thread {} of process {} cannot be looked at: {}", tid, pid, why));
  };
  switch (thread.stop(limits.patience)) {
    case TracedThread::Stop::stopped:
      break;
    case TracedThread::Stop::late:
      throw failure("it does not stand still; the kernel works for it and cannot be interrupted (state D)");
    case TracedThread::Stop::ended:
      throw failure("it has ended");
  }
  const ::user_regs_struct registers = thread.registers();
  if (registers.cs == code_segment_of_32_bits) throw failure("it is a program of 32 bits; x86-64 is needed");
  ThreadCopy copy;
  copy.registers = in_dwarf_order(registers);
  copy_stack(pid, ranges, limits.stack_bytes, copy);
  thread.release();
  copy.stopped = thread.stopped_for();
  return copy;
}

}  // namespace

std::optional<std::uint64_t> ThreadCopy::word_at(std::uint64_t address) const noexcept {
  std::uint64_t word = 0;
  if (address < stack_at || stack.size() < sizeof word || address - stack_at > stack.size() - sizeof word)
    return std::nullopt;
  std::memcpy(&word, stack.data() + (address - stack_at), sizeof word);
  return word;
}

// In a thread of its own: when that ends, the kernel also lets go a thread that did not stand still in time.
ThreadCopy copy_thread(std::int32_t pid, std::int32_t tid, const CopyLimits& limits) {
  ThreadCopy copy;
  std::exception_ptr failure;
  start_library_thread([&] {
    try {
      copy = copy_here(pid, tid, limits);
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return copy;
}

}  // namespace eventspace
