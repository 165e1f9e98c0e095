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
  static constexpr std::size_t most_bytes = 128;

  std::vector<std::byte> code;
  std::uint8_t replaced{
      0};  ///< how many bytes of the function its jump and the rest of the last instruction take
};

/// The machine code of that jump; nullopt if the way is longer than 2 GiB. Pure.
std::optional<std::array<std::byte, probe_jump_bytes>> jump_code(std::uint64_t from, std::uint64_t to);

/// Makes the code that is to be at address `at`. `function` has the bytes of the function from `place` on,
/// the address of the first replaced instruction; `counters` is the address of ProbeCounters::bytes. All are
/// within 2 GiB. Returns nullopt if an instruction cannot run elsewhere (EntryCheck refuses such functions),
/// or the ways are too long. Pure.
std::optional<Trampoline> counting_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                              std::uint64_t counters);

}  // namespace eventspace
