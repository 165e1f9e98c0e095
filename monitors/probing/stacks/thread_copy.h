#pragma once

// Private to monitors/.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/probing/processes/process_modules.h"

namespace eventspace {

/// The registers and the stack of a thread, copied while it stood still.
struct ThreadCopy {
  /// As DWARF numbers them: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and rip.
  std::array<std::uint64_t, 17> registers{};
  std::uint64_t stack_at{0};           ///< the address of the first byte of `stack`
  std::vector<std::byte> stack;        ///< from a little below the stack pointer on, upwards
  bool is_cut{false};                  ///< the stack goes on behind
  std::chrono::nanoseconds stopped{};  ///< how long the thread stood still, at most

  static constexpr std::size_t stack_pointer = 7;
  static constexpr std::size_t instruction_pointer = 16;

  /// The 8 bytes at `address`; nullopt if they were not copied.
  [[nodiscard]] std::optional<std::uint64_t> word_at(std::uint64_t address) const noexcept;
};

/// What is copied of a stack.
struct StackRange {
  std::uint64_t begin{0};
  std::uint64_t bytes{0};
  bool is_cut{false};  ///< the mapping goes on behind
};

/// From the red zone below the stack pointer, which a function may use too, to the end of the mapping: `most`
/// bytes at most, and nothing outside the mapping. If the pointer is in none of them (the stack has grown
/// since), the rest of its page. Pure.
StackRange stack_range(const std::vector<MappedRange>& ranges, std::uint64_t pointer,
                       std::uint64_t most) noexcept;

struct CopyLimits {
  std::size_t stack_bytes{std::size_t{256} << 10};  ///< the most that is copied
  std::chrono::nanoseconds patience{
      std::chrono::milliseconds(200)};  ///< how long it waits until it stands still
};

/// Copies the thread. It stands still for less than a millisecond, mostly for less than 100 microseconds; how
/// long is in the copy. Throws EnvironmentError with the reason if it is not there, may not be traced, is a
/// thread of 32 bits, or does not stand still in time; nothing has changed then. Blocks for `limits.patience`
/// at most. Thread-safe.
ThreadCopy copy_thread(std::int32_t pid, std::int32_t tid, const CopyLimits& limits = {});

}  // namespace eventspace
