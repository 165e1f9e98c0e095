#pragma once

// Private to monitors/.

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "monitors/probing/code/entry_check.h"

namespace eventspace {

/// Why a call of one function by another cannot have a probe.
enum class CallRefusal : std::uint8_t {
  short_jump,        ///< a tail call by a jump of 2 bytes
  other_form,        ///< with prefixes that a probe does not know
  conditional_jump,  ///< a tail call by a conditional jump
  data,
  tail_call,  ///< the next ones only if the probe has to see the end of the call
  no_room,
  branch_into,
  unknown_jump
};

/// The reason in words, to be put behind "cannot have a probe: ".
std::string_view to_string(CallRefusal refusal) noexcept;

/// A place where one function calls another, or ends with a jump to it (a tail call): an instruction of 5
/// bytes (without the prefix that linkers put before one that was through a pointer), whose distance a probe
/// changes so that it leads to code of the probe, which goes on to the function that is called. It changes no
/// other byte, and the address to which the call returns is the same.
struct CallPlace {
  const Function* caller{nullptr};  ///< may be its seldom used part (`.cold`)
  std::uint64_t address{0};         ///< of the 5 bytes, in the file
  /// Behind the last byte that a jump in the place of the instructions behind the call replaces, where the
  /// call has ended; 0 if that was not asked for.
  std::uint64_t behind_end{0};

  static constexpr std::uint64_t bytes = 5;
};

struct FunctionCalls {
  std::vector<CallPlace> places;  ///< by address
  std::map<CallRefusal, std::size_t> refused;
};

/// Finds the direct calls of a function by those that `is_caller` chooses, in the same module. `has_ends`: a
/// call counts only if its end can be seen, too. To the place behind a call a jump may lead, too: of a way
/// that has skipped it, or of a handler of exceptions. The probe tells them by the word under the stack
/// pointer, which is the address to which the call has returned. Pure.
FunctionCalls calls_of(const EntryCheck& check, const Function& called,
                       const std::function<bool(const Function&)>& is_caller, bool has_ends);

}  // namespace eventspace
