#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "monitors/probing/code/entry_check.h"

namespace eventspace {

/// Why a function that can have a probe at its entry cannot have one at its exits.
enum class ExitRefusal : std::uint8_t {
  none,  ///< it can have one
  no_exit,
  no_room,
  short_jump,
  into_other,
  cold_section,
  too_many
};

/// The reason in words, to follow "cannot have a probe at its exits: ".
std::string_view to_string(ExitRefusal refusal) noexcept;

/// A place where a function is left: it returns, or jumps to another function (a tail call). A jump of 5
/// bytes replaces whole instructions there, the last of which leaves the function, and the padding after
/// them.
struct ExitSite {
  std::uint64_t begin{0};    ///< the address of the first replaced byte, in the file
  std::uint64_t leaving{0};  ///< the address of the instruction that leaves the function
  std::uint64_t end{0};      ///< after the last replaced byte, at least 5 from `begin`
};

struct FunctionExits {
  static constexpr std::size_t most = 64;

  ExitRefusal refusal{ExitRefusal::none};
  std::vector<ExitSite> sites;  ///< all of them, by address; empty if refused
};

/// Finds the exits of a function that `check` does not refuse, including those in its cold sections
/// (`.cold`). An exit is a return or a jump to the beginning of another function. A function may also be left
/// by an exception, by longjmp or by the end of the thread, which no exit sees; and a computed jump that only
/// looks like a tail call is taken for an exit. So there may be entries without exits, and exits without
/// entries. Pure.
FunctionExits exits_of(const EntryCheck& check, const Function& function);

}  // namespace eventspace
