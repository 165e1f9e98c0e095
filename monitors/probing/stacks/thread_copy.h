#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/probing/processes/process_modules.h"

namespace eventspace {

/// The registers and the stack of a thread, copied while it was stopped.
struct ThreadCopy {
  /// In DWARF order: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and rip.
  std::array<std::uint64_t, 17> registers{};
  std::uint64_t stack_at{0};           ///< the address of the first byte of `stack`
  std::vector<std::byte> stack;        ///< upwards from a little below the stack pointer
  bool is_cut{false};                  ///< the stack continues after the copied bytes
  std::chrono::nanoseconds stopped{};  ///< upper bound of the time that the thread was stopped

  static constexpr std::size_t stack_pointer = 7;
  static constexpr std::size_t instruction_pointer = 16;

  /// The 8 bytes at `address`; nullopt if they were not copied.
  [[nodiscard]] std::optional<std::uint64_t> word_at(std::uint64_t address) const noexcept;
};

/// The part of a stack that is copied.
struct StackRange {
  std::uint64_t begin{0};
  std::uint64_t bytes{0};
  bool is_cut{false};  ///< the mapping continues after it
};

/// The range from the red zone below the stack pointer, which a function may use, to the end of the mapping,
/// limited to `most` bytes. If no mapping contains the pointer (the stack has grown since), the rest of its
/// page. Pure.
StackRange stack_range(const std::vector<MappedRange>& ranges, std::uint64_t pointer,
                       std::uint64_t most) noexcept;

struct CopyLimits {
  std::size_t stack_bytes{std::size_t{256} << 10};                    ///< limit for copied bytes
  std::chrono::nanoseconds patience{std::chrono::milliseconds(200)};  ///< time-out for stopping the thread
};

/// Copies the thread. It is stopped for less than a millisecond, mostly for less than 100 microseconds; the
/// copy contains the time. Throws EnvironmentError with the reason if the thread does not exist, may not be
/// traced, is a 32-bit thread, or does not stop in time; the thread is then unchanged. Blocks up to
/// `limits.patience`. Thread-safe.
ThreadCopy copy_thread(std::int32_t pid, std::int32_t tid, const CopyLimits& limits = {});

}  // namespace eventspace
