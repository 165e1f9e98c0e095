#include "monitors/probing/code/call_check.h"

#include <algorithm>
#include <optional>

#include "monitors/probing/code/code_padding.h"
#include "monitors/probing/code/trampoline.h"

namespace eventspace {
namespace {

using Flow = Instruction::Flow;

class Calls {
 public:
  Calls(const EntryCheck& check, const Function& called, bool has_ends)
      : check_(check), called_(called), has_ends_(has_ends) {}

  FunctionCalls find(const std::function<bool(const Function&)>& is_caller) {
    for (const std::uint64_t from : check_.branches_to(called_.address)) {
      const Function* const caller = check_.function_at(from);
      const auto instruction = at(from);
      if (caller == nullptr || !instruction || is_own_jump(*caller, *instruction) || !is_caller(*caller))
        continue;
      CallPlace place{caller, from};
      if (const auto refusal = refusal_of(*instruction, place))
        ++found_.refused[*refusal];
      else
        found_.places.push_back(place);
    }
    return found_;
  }

 private:
  [[nodiscard]] std::optional<Instruction> at(std::uint64_t address) const {
    constexpr std::uint64_t longest = 15;
    return decode(check_.module().image.bytes_at(address, longest), address);
  }

  /// A jump to the function's own beginning (a loop), also from its cold section, is not a call.
  [[nodiscard]] bool is_own_jump(const Function& caller, const Instruction& instruction) const {
    if (instruction.flow == Flow::call) return false;
    return &caller == &called_ || (is_cold_section(caller.name) && whole_of(caller.name) == called_.name);
  }

  std::optional<CallRefusal> refusal_of(const Instruction& instruction, CallPlace& place) const {
    if (check_.has_data(*place.caller)) return CallRefusal::data;
    if (instruction.flow == Flow::conditional_jump || instruction.flow == Flow::short_jump)
      return CallRefusal::conditional_jump;
    if (instruction.immediate_bits != 32) return CallRefusal::short_jump;
    if (instruction.length != CallPlace::bytes) {
      if (!has_address_prefix(instruction)) return CallRefusal::other_form;
      place.address = instruction.address + 1;
    }
    if (!has_ends_) return std::nullopt;
    return instruction.flow == Flow::call ? refusal_behind(instruction.end(), place) : CallRefusal::tail_call;
  }

  /// Linkers turn a call through a pointer whose value they know (`call *f@GOTPCREL(%rip)`) into `67 e8`, of
  /// the same length. The prefix 67 is ignored; the call follows it.
  [[nodiscard]] bool has_address_prefix(const Instruction& instruction) const {
    constexpr std::byte prefix{0x67};
    const Bytes code = check_.module().image.bytes_at(instruction.address, 1);
    return instruction.length == CallPlace::bytes + 1 && !code.empty() && code.front() == prefix;
  }

  std::optional<CallRefusal> refusal_behind(std::uint64_t behind, CallPlace& place) const {
    if (!check_.is_understood(*place.caller)) return CallRefusal::unknown_jump;
    const std::uint64_t function_end = place.caller->address + place.caller->size;
    std::uint64_t end = behind;
    while (end - behind < probe_jump_bytes) {
      const auto next = end < function_end ? at(end) : std::nullopt;
      if (!next || !can_move(*next)) return CallRefusal::no_room;
      end = next->end();
      // The code after a return or a jump is another path through the function, which may also be entered by
      // an exception. Only padding is replaced there.
      if (next->flow == Flow::next || next->flow == Flow::conditional_jump) continue;
      if (end - behind < probe_jump_bytes)
        end += padding_behind(check_, end, probe_jump_bytes - (end - behind));
      if (end - behind < probe_jump_bytes) return CallRefusal::no_room;
    }
    if (check_.is_led_into(behind + 1, end)) return CallRefusal::branch_into;
    place.behind_end = end;
    return std::nullopt;
  }

  // Padding is executed where a loop or an exception handler begins after it.
  static bool can_move(const Instruction& instruction) noexcept {
    if (instruction.is_system_call || instruction.is_padding || instruction.is_landing) return false;
    return instruction.flow != Flow::call && instruction.flow != Flow::computed_call &&
           instruction.flow != Flow::short_jump;
  }

  const EntryCheck& check_;
  const Function& called_;
  bool has_ends_;
  FunctionCalls found_;
};

}  // namespace

std::string_view to_string(CallRefusal refusal) noexcept {
  switch (refusal) {
    case CallRefusal::short_jump:
      return "the caller ends with a jump of 2 bytes, which is too short for a probe";
    case CallRefusal::other_form:
      return "the call has unknown prefixes";
    case CallRefusal::conditional_jump:
      return "the caller ends with a conditional jump, whose condition would be lost";
    case CallRefusal::data:
      return "some bytes of the caller are not instructions";
    case CallRefusal::tail_call:
      return "the caller ends with a jump, so the call does not return to it";
    case CallRefusal::no_room:
      return "there is no room for a jump after the call";
    case CallRefusal::branch_into:
      return "a branch leads into the bytes after the call";
    case CallRefusal::unknown_jump:
      return "a computed jump may lead into the bytes after the call";
  }
  return "?";
}

FunctionCalls calls_of(const EntryCheck& check, const Function& called,
                       const std::function<bool(const Function&)>& is_caller, bool has_ends) {
  return Calls(check, called, has_ends).find(is_caller);
}

}  // namespace eventspace
