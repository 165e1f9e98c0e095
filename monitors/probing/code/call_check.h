#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "monitors/probing/code/entry_check.h"

namespace eventspace {

/// Why a call of one function by another cannot be probed.
enum class CallRefusal : std::uint8_t {
  short_jump,        ///< a tail call by a jump of 2 bytes
  other_form,        ///< with prefixes that a probe does not handle
  conditional_jump,  ///< a tail call by a conditional jump
  data,
  tail_call,  ///< the following ones only if the probe has to see the end of the call
  no_room,
  branch_into,
  unknown_jump
};

/// The reason in words, to follow "cannot have a probe: ".
std::string_view to_string(CallRefusal refusal) noexcept;

/// A place where one function calls another, or ends with a jump to it (a tail call): an instruction of 5
/// bytes. (A prefix before it, which linkers add to a call that was through a pointer, is not counted.) A
/// probe changes the distance in this instruction so that it leads to the probe's code, which continues to
/// the called function. No other byte is changed, and the call returns to the same address.
struct CallPlace {
  const Function* caller{nullptr};  ///< the function or its cold section (`.cold`)
  std::uint64_t address{0};         ///< of the 5 bytes, in the file
  /// The end of the bytes after the call that a jump replaces, where the probe sees the end of the call; 0 if
  /// ends are not needed.
  std::uint64_t behind_end{0};

  static constexpr std::uint64_t bytes = 5;
};

struct FunctionCalls {
  std::vector<CallPlace> places;  ///< by address
  std::map<CallRefusal, std::size_t> refused;
};

/// Finds the direct calls of a function by the functions that `is_caller` selects, in the same module.
/// `has_ends`: only calls are accepted whose end can be probed, too. The place after a call may also be
/// reached by a jump that skipped the call, or by an exception handler. The probe recognises a return by the
/// word under the stack pointer, which is then the address to which the call returned. Pure.
FunctionCalls calls_of(const EntryCheck& check, const Function& called,
                       const std::function<bool(const Function&)>& is_caller, bool has_ends);

}  // namespace eventspace
