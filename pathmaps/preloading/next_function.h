#pragma once

#include <atomic>
#include <cstddef>
#include <span>

// The function of this name jumps to the address in the array TABLE at this offset, with unchanged arguments
// of any types. TABLE has C linkage. TEXT is for a larger piece of assembly.
#if defined(__x86_64__)
#define EVENTSPACE_JUMP_CODE(table, offset) "  endbr64\n  jmp *" table "+" offset "(%rip)\n"
#elif defined(__aarch64__)
#define EVENTSPACE_JUMP_CODE(table, offset) \
  "  bti c\n  adrp x16, " table "+" offset "\n  ldr x16, [x16, :lo12:" table "+" offset "]\n  br x16\n"
#endif
#define EVENTSPACE_JUMP_TEXT(table, name, offset)                        \
  ".text\n.p2align 4\n.globl " name "\n.type " name ", %function\n" name \
  ":\n" EVENTSPACE_JUMP_CODE(table, offset) ".size " name ", .-" name "\n"
#define EVENTSPACE_JUMP(table, name, offset) __asm__(EVENTSPACE_JUMP_TEXT(table, name, offset));

namespace eventspace::preloading {

/// The wrapped functions of a library.
struct Table {
  std::span<const char* const> names;
  std::span<void*> next;   ///< the function after the wrapper, once known
  std::span<void*> slots;  ///< the jump table: leads to the wrapper, or past it
};

/// Returns the function or variable that the program would use without this library: the next one of this
/// name in the process, or from a loaded library of `libraries`. Null if not found.
void* find_next(const char* name, std::span<const char* const> libraries) noexcept;

/// Finds the function of a slot and stores it in the table. If it does not exist, prints that and ends the
/// process, like the dynamic linker. Thread-safe.
void* look_for_next_of(const Table& table, std::size_t slot, std::span<const char* const> libraries) noexcept;

/// The same, but searches only once. Each recorded call begins with it.
inline void* next_of(const Table& table, std::size_t slot, std::span<const char* const> libraries) noexcept {
  void* const known = std::atomic_ref(table.next[slot]).load(std::memory_order_acquire);
  if (known != nullptr) [[likely]]
    return known;
  return look_for_next_of(table, slot, libraries);
}

}  // namespace eventspace::preloading
