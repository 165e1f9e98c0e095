#pragma once

#include <cstdint>
#include <optional>

#include <eventspace/tuple.h>

namespace eventspace {

/// The properties of an x86-64 machine instruction that probes need.
struct Instruction {
  /// How the instruction leads to other instructions than the next one.
  enum class Flow : std::uint8_t {
    next,              ///< not at all
    jump,              ///< to `target`
    conditional_jump,  ///< to `target`, or to the next one; not a `short_jump`
    short_jump,        ///< a conditional jump without a form with a 32-bit distance: `loop`, `jrcxz`
    call,              ///< `target`
    computed_jump,     ///< to an address in a register or in memory
    computed_call,
    end  ///< it returns, or execution ends: `ret`, `hlt`, `ud2`
  };

  std::uint64_t address{0};
  std::uint8_t length{0};  ///< in bytes, 1 to 15
  Flow flow{Flow::next};
  std::uint64_t target{0};  ///< of jumps and calls that have one
  /// The address in memory that it refers to relative to itself; nullopt if there is none.
  std::optional<std::uint64_t> relative_memory;
  std::uint8_t displacement_at{0};  ///< offset of the 32-bit distance of that address in the instruction
  std::uint8_t immediate_at{0};     ///< offset of the distance of its target in the instruction
  std::uint8_t immediate_bits{0};
  std::optional<std::uint64_t> indexed_table;  ///< "[reg*8 + N]" without another register: N
  bool is_memory_jump{false};                  ///< a computed jump whose address is in memory
  bool is_return{false};                       ///< `ret`
  bool is_padding{false};                      ///< no effect: `nop` of any length, `int3`
  bool is_landing{false};                      ///< `endbr64`
  bool is_system_call{false};                  ///< `syscall`, `sysenter`, `int N`
  bool is_breakpoint{false};                   ///< `int3`
  bool releases_frame{false};  ///< `pop`, `leave`, `add rsp, N`: a jump after it leaves the function
  bool is_notrack{false};      ///< a computed jump that CET does not check: one through a table

  [[nodiscard]] std::uint64_t end() const noexcept { return address + length; }
  [[nodiscard]] bool has_target() const noexcept {
    return flow == Flow::jump || flow == Flow::conditional_jump || flow == Flow::short_jump ||
           flow == Flow::call;
  }
};

/// Whether this build can decode instructions (it was built with Zydis).
bool can_decode() noexcept;
/// The version of Zydis; 0 without it.
std::uint64_t decoder_version() noexcept;

/// Decodes the first instruction of `code`, which is at `address`. Returns nullopt if the bytes are invalid
/// or truncated, and always in builds without Zydis. Pure.
std::optional<Instruction> decode(Bytes code, std::uint64_t address);

}  // namespace eventspace
