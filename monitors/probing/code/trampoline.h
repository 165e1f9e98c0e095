#pragma once

// Private to monitors/.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tuplespace/tuple.h"

namespace eventspace {

/// The length of the jump that a probe writes into a function.
inline constexpr std::size_t probe_jump_bytes = 5;
/// The most bytes of whole instructions that it replaces: 4 and one of the longest.
inline constexpr std::size_t most_replaced_bytes = 19;

/// The counters of one probe: threads count in different cache lines, chosen by the address of their thread's
/// own data, so that they seldom wait for each other. Their sum is the number of calls.
struct ProbeCounters {
  static constexpr std::size_t lines = 32;
  static constexpr std::size_t bytes = lines * 64;
};

/// The code to which a probe at the entry of a function jumps:
///
///     save rax, rcx and the flags, below the 128 bytes under the stack pointer that a function may use too
///     lock inc of this thread's counter
///     restore all of them
///     the replaced instructions, changed so that they do here what they did there
///     jump behind the replaced instructions
///
/// It pushes no return address: exceptions, debuggers and longjmp see the same stack as without it. It may be
/// interrupted by a signal, whose handler may pass the same probe.
struct Trampoline {
  static constexpr std::size_t most_bytes = 192;

  std::vector<std::byte> code;
  /// How many bytes of the function its jump and the rest of the last instruction take.
  std::uint8_t replaced{0};
};

/// A function in the process that the code of a probe calls, with two arguments: the address of the probe's
/// descriptor, and that of the registers (measuring::SavedRegisters). It uses general registers only.
struct ProbeCall {
  std::uint64_t function{0};
  std::uint64_t descriptor{0};
};

/// The machine code of that jump; nullopt if the way is longer than 2 GiB. Pure.
std::optional<std::array<std::byte, probe_jump_bytes>> jump_code(std::uint64_t from, std::uint64_t to);

/// What a patch of this place is: a call stays one, all else becomes a jump. `original`: the bytes that it
/// replaces. Pure.
std::optional<std::array<std::byte, probe_jump_bytes>> patch_code(Bytes original, std::uint64_t from,
                                                                  std::uint64_t to);

/// Makes the code that is to be at address `at`. `function` has the bytes of the function from `place` on,
/// the address of the first replaced instruction; `counters` is the address of ProbeCounters::bytes. All are
/// within 2 GiB. Returns nullopt if an instruction cannot run elsewhere (EntryCheck refuses such functions),
/// or the ways are too long. Pure.
std::optional<Trampoline> counting_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                              std::uint64_t counters);

/// The same, with a call in the place of the counting. All registers that the call may change, and the flags,
/// are saved around it.
std::optional<Trampoline> entry_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                           const ProbeCall& call);

/// Makes the code to which the jump at `place` leads that replaces the end of a way through a function.
/// `exit` has the bytes that it replaces, at least 5; the instruction at `leaving` of them returns or jumps
/// to another function, those before it only go on to the next. The call comes directly before the function
/// is left: the stack pointer is that at the function's entry then, and the registers have its results.
std::optional<Trampoline> exit_trampoline(Bytes exit, std::uint64_t place, std::size_t leaving,
                                          std::uint64_t at, const ProbeCall& call);

/// Makes the code to which the call or jump of 5 bytes at `place` leads instead of the function that it
/// calls; it goes on there. The stack is that at the function's entry.
std::optional<Trampoline> counting_call_trampoline(Bytes call_bytes, std::uint64_t place, std::uint64_t at,
                                                   std::uint64_t counters);
std::optional<Trampoline> call_trampoline(Bytes call_bytes, std::uint64_t place, std::uint64_t at,
                                          const ProbeCall& call);

}  // namespace eventspace
