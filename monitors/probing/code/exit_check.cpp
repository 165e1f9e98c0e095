#include "monitors/probing/code/exit_check.h"

#include <algorithm>

#include "monitors/probing/code/code_padding.h"
#include "monitors/probing/code/trampoline.h"

namespace eventspace {
namespace {

using Flow = Instruction::Flow;

class Exits {
 public:
  Exits(const EntryCheck& check, const Function& function) : check_(check), function_(function) {}

  FunctionExits find() {
    // A cold section is found by the jump that leads to it.
    for (parts_ = {&function_}; part_ < parts_.size() && refusal_ == ExitRefusal::none; ++part_) {
      decode_part();
      for (std::size_t i = 0; i < code_.size() && refusal_ == ExitRefusal::none; ++i) look_at(i);
    }
    if (refusal_ == ExitRefusal::none && sites_.empty()) refusal_ = ExitRefusal::no_exit;
    if (refusal_ == ExitRefusal::none && sites_.size() > FunctionExits::most)
      refusal_ = ExitRefusal::too_many;
    if (refusal_ != ExitRefusal::none) return {refusal_, {}};
    std::ranges::sort(sites_, {}, &ExitSite::begin);
    return {refusal_, sites_};
  }

 private:
  [[nodiscard]] Bytes bytes_at(std::uint64_t address, std::uint64_t size) const {
    return check_.module().image.bytes_at(address, size);
  }

  // The check has decoded the function before, so all of its bytes are instructions.
  void decode_part() {
    const Function& part = *parts_[part_];
    code_.clear();
    const Bytes bytes = bytes_at(part.address, part.size);
    for (std::size_t at = 0; at < bytes.size();) {
      const auto instruction = decode(bytes.subspan(at), part.address + at);
      if (!instruction) {
        refusal_ = ExitRefusal::cold_section;
        return;
      }
      code_.push_back(*instruction);
      at += instruction->length;
    }
    // The first bytes of the function belong to the probe at its entry.
    free_from_ = part_ == 0 ? end_of_entry() : part.address;
  }

  [[nodiscard]] std::uint64_t end_of_entry() const {
    const std::uint64_t place = EntryCheck::place_in(check_.module().image, function_);
    for (const Instruction& instruction : code_)
      if (instruction.end() >= place + probe_jump_bytes) return instruction.end();
    return function_.address + function_.size;
  }

  void look_at(std::size_t i) {
    const Instruction& instruction = code_[i];
    if (instruction.is_return) return add(i);
    if (instruction.flow == Flow::computed_jump) {
      if (leaves_by(instruction, i > 0 && code_[i - 1].releases_frame)) add(i);
      return;
    }
    if (!instruction.has_target() || instruction.flow == Flow::call || is_own(instruction.target)) return;
    const Function* const target = check_.function_at(instruction.target);
    if (target != nullptr && is_cold_section(target->name) && whole_of(target->name) == function_.name) {
      parts_.push_back(target);
      return;
    }
    // A target without a symbol is a PLT entry, through which other libraries are called.
    if (target != nullptr && target->address != instruction.target) {
      refusal_ = ExitRefusal::into_other;
      return;
    }
    add(i);
  }

  [[nodiscard]] bool is_own(std::uint64_t address) const {
    return std::ranges::any_of(parts_, [address](const Function* part) {
      return address >= part->address && address - part->address < part->size;
    });
  }

  void add(std::size_t i) {
    const Instruction& leaving = code_[i];
    const bool is_conditional = leaving.flow == Flow::conditional_jump || leaving.flow == Flow::short_jump;
    if (is_conditional && leaving.length < probe_jump_bytes) {
      refusal_ = ExitRefusal::short_jump;
      return;
    }
    ExitSite site{leaving.address, leaving.address, leaving.end()};
    if (const std::uint64_t have = site.end - site.begin; !is_conditional && have < probe_jump_bytes)
      site.end += padding_behind(check_, leaving.end(), probe_jump_bytes - have);
    std::size_t first = i;
    while (site.end - site.begin < probe_jump_bytes && first > 0 && can_move(code_[first - 1]))
      site.begin = code_[--first].address;
    const bool has_room = site.end - site.begin >= probe_jump_bytes && site.begin >= free_from_ &&
                          !check_.is_led_into(site.begin + 1, site.end);
    if (!has_room) {
      refusal_ = ExitRefusal::no_room;
      return;
    }
    free_from_ = site.end;
    sites_.push_back(site);
  }

  static bool can_move(const Instruction& instruction) noexcept {
    return instruction.flow == Flow::next && !instruction.is_system_call && !instruction.is_breakpoint &&
           !instruction.is_landing;
  }

  const EntryCheck& check_;
  const Function& function_;
  std::vector<const Function*> parts_;  // the function and its cold sections
  std::size_t part_{0};
  std::vector<Instruction> code_;  // of the current part
  std::uint64_t free_from_{0};     // earlier bytes of the part belong to another probe
  std::vector<ExitSite> sites_;
  ExitRefusal refusal_{ExitRefusal::none};
};

}  // namespace

std::string_view to_string(ExitRefusal refusal) noexcept {
  switch (refusal) {
    case ExitRefusal::none:
      return "";
    case ExitRefusal::no_exit:
      return "it never returns";
    case ExitRefusal::no_room:
      return "there is no room for a jump where it returns";
    case ExitRefusal::short_jump:
      return "a conditional jump that leaves it is too short for a probe";
    case ExitRefusal::into_other:
      return "it jumps into the middle of another function";
    case ExitRefusal::cold_section:
      return "some bytes of its cold section are not instructions";
    case ExitRefusal::too_many:
      return "it has too many exits";
  }
  return "?";
}

FunctionExits exits_of(const EntryCheck& check, const Function& function) {
  return Exits(check, function).find();
}

}  // namespace eventspace
