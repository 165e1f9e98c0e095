#pragma once

// Private to monitors/.

#include <cstdint>
#include <string_view>
#include <vector>

#include "monitors/probing/code/entry_check.h"

namespace eventspace {

/// Why a function that can have a probe at its entry cannot have one at its exits.
enum class ExitRefusal : std::uint8_t {
  none,  ///< it can
  no_exit,
  no_room,
  short_jump,
  into_other,
  cold_part,
  too_many
};

/// The reason in words, to be put behind "cannot have a probe at its exits: ".
std::string_view to_string(ExitRefusal refusal) noexcept;

/// A place where a function is left: it returns, or jumps to another function (a tail call). A jump of 5
/// bytes there replaces whole instructions, the last of which leaves the function, and the padding behind it.
struct ExitSite {
  std::uint64_t begin{0};    ///< the address of the first replaced byte, in the file
  std::uint64_t leaving{0};  ///< of the instruction that leaves
  std::uint64_t end{0};      ///< behind the last replaced byte, at least 5 from `begin`
};

struct FunctionExits {
  static constexpr std::size_t most = 64;

  ExitRefusal refusal{ExitRefusal::none};
  std::vector<ExitSite> sites;  ///< all of them, by address; empty if refused
};

/// Finds the exits of a function for which `check` refuses nothing, also those in its seldom used part
/// (`.cold`). They are where it returns and where it jumps to the beginning of another function. It may also
/// be left by an exception, by longjmp or by the end of the thread, which no exit sees; and a computed jump
/// that only looks like a tail call is taken for an exit. So there may be entries without exits, and exits
/// without entries. Pure.
FunctionExits exits_of(const EntryCheck& check, const Function& function);

}  // namespace eventspace
