#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <eventspace/tuple.h>

namespace eventspace {

/// The length of the jump that a probe writes into a function.
inline constexpr std::size_t probe_jump_bytes = 5;
/// The maximum length of the whole instructions that the jump replaces: 4 bytes and one instruction of 15.
inline constexpr std::size_t max_replaced_bytes = 19;

/// The counters of one probe. Threads count in different cache lines, selected by the address of the thread's
/// own data, so they seldom contend. The number of calls is the sum.
struct ProbeCounters {
  static constexpr std::size_t lines = 32;
  static constexpr std::size_t bytes = lines * 64;
};

/// The code to which a probe at the entry of a function jumps:
///
///     save rax, rcx and the flags, below the red zone (128 bytes under the stack pointer)
///     lock inc of this thread's counter
///     restore all of them
///     the replaced instructions, adjusted so that they have the same effect here
///     jump to the instruction after the replaced ones
///
/// It does not push a return address, so exceptions, debuggers and longjmp see the same stack as without the
/// probe. It may be interrupted by a signal whose handler passes the same probe.
struct Trampoline {
  static constexpr std::size_t max_bytes = 192;

  std::vector<std::byte> code;
  /// How many bytes of the function the jump replaces: whole instructions.
  std::uint8_t replaced{0};
};

/// A function in the process that the code of a probe calls. It has two arguments, the address of the probe's
/// descriptor and the address of the saved registers (measuring::SavedRegisters), and uses only general
/// registers.
struct ProbeCall {
  std::uint64_t function{0};
  std::uint64_t descriptor{0};
};

/// The machine code of that jump; nullopt if the distance exceeds 2 GiB. Pure.
std::optional<std::array<std::byte, probe_jump_bytes>> jump_code(std::uint64_t from, std::uint64_t to);

/// The bytes that patch a place: a call is replaced by a call, everything else by a jump. `original`: the
/// replaced bytes. Pure.
std::optional<std::array<std::byte, probe_jump_bytes>> patch_code(Bytes original, std::uint64_t from,
                                                                  std::uint64_t to);

/// Makes the code that is to be at address `at`. `function` has the bytes of the function from `place` on,
/// the address of the first replaced instruction; `counters` is the address of ProbeCounters::bytes. All
/// addresses are within 2 GiB. Returns nullopt if an instruction cannot run elsewhere (EntryCheck refuses
/// such functions), or if a distance is too long. Pure.
std::optional<Trampoline> counting_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                              std::uint64_t counters);

/// Like counting_trampoline(), with a call instead of the counting. All registers that the callee may change,
/// and the flags, are saved around the call.
std::optional<Trampoline> entry_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                           const ProbeCall& call);

/// Makes the code to which the jump at `place` leads, which replaces an exit of a function. `exit` has the
/// replaced bytes, at least 5. The instruction at offset `leaving` returns or jumps to another function;
/// those before it do not branch. The probe's call comes directly before the function is left: the stack
/// pointer is then the same as at the function's entry, and the registers hold its results.
std::optional<Trampoline> exit_trampoline(Bytes exit, std::uint64_t place, std::size_t leaving,
                                          std::uint64_t at, const ProbeCall& call);

/// Makes the code to which the call or jump of 5 bytes at `place` leads, and which continues to the called
/// function. The stack is that at the called function's entry.
std::optional<Trampoline> counting_call_trampoline(Bytes call_bytes, std::uint64_t place, std::uint64_t at,
                                                   std::uint64_t counters);
std::optional<Trampoline> call_trampoline(Bytes call_bytes, std::uint64_t place, std::uint64_t at,
                                          const ProbeCall& call);

}  // namespace eventspace
