#include "monitors/probing/stacks/thread_copy.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include <eventspace/error.h>
#include "monitors/probing/tracing/traced_thread.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

std::array<std::uint64_t, 17> in_dwarf_order(const ::user_regs_struct& r) {
  return {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
          r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
}

void copy_stack(std::int32_t pid, const StackRange& range, ThreadCopy& copy) {
  copy.stack_at = range.begin;
  copy.is_cut = range.is_cut;
  copy.stack.resize(range.bytes);
  ::iovec here{copy.stack.data(), copy.stack.size()};
  ::iovec there{reinterpret_cast<void*>(copy.stack_at), copy.stack.size()};  // NOLINT: an address there
  const ::ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  copy.stack.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
}

ThreadCopy copy_here(std::int32_t pid, std::int32_t tid, const CopyLimits& limits) {
  constexpr std::uint64_t code_segment_of_32_bits = 0x23;
  // Read before the thread is stopped, since it takes long for a process with many mappings.
  const std::vector<MappedRange> ranges = mapped_ranges(pid);
  TracedThread thread(pid, tid);
  const auto failure = [&](std::string_view why) {
    return EnvironmentError(fmt::format("thread {} of process {} cannot be inspected: {}", tid, pid, why));
  };
  switch (thread.stop(limits.patience)) {
    case TracedThread::Stop::stopped:
      break;
    case TracedThread::Stop::late:
      throw failure("it did not stop in time; it is probably in uninterruptible sleep (state D)");
    case TracedThread::Stop::ended:
      throw failure("it has ended");
  }
  const ::user_regs_struct registers = thread.registers();
  if (registers.cs == code_segment_of_32_bits) throw failure("it is a 32-bit program; x86-64 is needed");
  ThreadCopy copy;
  copy.registers = in_dwarf_order(registers);
  copy_stack(pid, stack_range(ranges, copy.registers[ThreadCopy::stack_pointer], limits.stack_bytes), copy);
  thread.release();
  copy.stopped = thread.stopped_for();
  return copy;
}

}  // namespace

StackRange stack_range(const std::vector<MappedRange>& ranges, std::uint64_t pointer,
                       std::uint64_t most) noexcept {
  constexpr std::uint64_t red_zone = 128;
  constexpr std::uint64_t page = 4096;
  const auto found = std::ranges::find_if(
      ranges, [pointer](const MappedRange& range) { return pointer >= range.begin && pointer < range.end; });
  const bool is_mapped = found != ranges.end();
  const std::uint64_t lowest = is_mapped ? found->begin : pointer & ~(page - 1);
  const std::uint64_t end = is_mapped ? found->end : (pointer | (page - 1)) + 1;
  const std::uint64_t begin = std::max(pointer - std::min(pointer, red_zone), lowest);
  return {begin, std::min(end - begin, most), end - begin > most};
}

std::optional<std::uint64_t> ThreadCopy::word_at(std::uint64_t address) const noexcept {
  std::uint64_t word = 0;
  if (address < stack_at || stack.size() < sizeof word || address - stack_at > stack.size() - sizeof word)
    return std::nullopt;
  std::memcpy(&word, stack.data() + (address - stack_at), sizeof word);
  return word;
}

// Uses a thread of its own: when it ends, the kernel also releases a thread that did not stop in time.
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
