#include "monitors/probing/code/entry_check.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "monitors/probing/code/trampoline.h"

namespace eventspace {
namespace {

using Flow = Instruction::Flow;

bool contains(const Function& function, std::uint64_t address) {
  return address >= function.address && address - function.address < function.size;
}

}  // namespace

// Compilers put seldom executed code after all functions, with a symbol of its own. Only jumps lead there,
// not calls.
bool is_cold_section(const std::string& name) {
  return name.ends_with(".cold") || name.find(".cold.") != std::string::npos;
}

std::string_view whole_of(std::string_view cold_section) {
  return cold_section.substr(0, cold_section.find(".cold"));
}

bool leaves_by(const Instruction& computed_jump, bool is_frame_released) noexcept {
  const bool is_through_member = computed_jump.is_memory_jump && !computed_jump.indexed_table;
  return is_through_member || (is_frame_released && !computed_jump.is_notrack);
}

std::string_view to_string(EntryRefusal refusal) noexcept {
  switch (refusal) {
    case EntryRefusal::none:
      return "";
    case EntryRefusal::not_decoded:
      return "its first bytes are not instructions";
    case EntryRefusal::data:
      return "some of its bytes are not instructions";
    case EntryRefusal::not_code:
      return "its file does not contain its code";
    case EntryRefusal::no_size:
      return "its size is unknown";
    case EntryRefusal::resolver:
      return "it is a resolver (ifunc)";
    case EntryRefusal::cold_section:
      return "it is the cold section of another function";
    case EntryRefusal::too_short:
      return "it is too short";
    case EntryRefusal::other_function:
      return "another function begins in its first bytes";
    case EntryRefusal::call:
      return "its first bytes contain a call";
    case EntryRefusal::short_jump:
      return "its first bytes contain a jump with only a short form";
    case EntryRefusal::system_call:
      return "its first bytes contain a system call";
    case EntryRefusal::breakpoint:
      return "its first bytes contain a breakpoint";
    case EntryRefusal::branch_into:
      return "a branch leads into its first bytes";
    case EntryRefusal::loop_to_entry:
      return "a loop leads back to its entry";
    case EntryRefusal::table_into:
      return "a jump table leads into its first bytes";
    case EntryRefusal::unknown_jump:
      return "a computed jump may lead into its first bytes";
    case EntryRefusal::too_much_code:
      return "its file has more code in functions than can be decoded";
  }
  return "?";
}

// The budget: functions of a real file hardly overlap, and its jump tables are smaller than its code. In a
// forged file, every function might claim all of the code.
EntryCheck::EntryCheck(const ModuleSymbols& module)
    : module_(&module),
      work_left_(std::transform_reduce(module.image.loads().begin(), module.image.loads().end(),
                                       std::uint64_t{1} << 20, std::plus(),
                                       [](const ElfImage::Load& load) { return 4 * load.file_size; })) {
  for (const Function& function : module.functions) scan(function);
  std::ranges::sort(analysis_.branches, {}, &Branch::to);
  std::ranges::sort(analysis_.table_targets);
}

void EntryCheck::scan(const Function& function) {
  const ElfImage& image = module_->image;
  if (function.size == 0 || !image.is_code(function.address)) return;
  const Bytes code = image.bytes_at(function.address, function.size);
  if (code.size() > work_left_) {
    analysis_.refused.emplace(function.address, EntryRefusal::too_much_code);
    return;
  }
  work_left_ -= code.size();
  Decoded decoded;
  for (std::size_t at = 0; at < code.size();) {
    const auto instruction = decode(code.subspan(at), function.address + at);
    if (!instruction) {
      // Data between instructions: the targets of the code after it are unknown.
      analysis_.refused.emplace(function.address, EntryRefusal::data);
      return;
    }
    note(*instruction, decoded);
    at += instruction->length;
  }
  if (!decoded.has_unknown_jump || follow_tables(function, decoded.tables)) return;
  analysis_.refused.emplace(function.address, EntryRefusal::unknown_jump);
}

void EntryCheck::note(const Instruction& instruction, Decoded& decoded) {
  if (instruction.has_target()) {
    const bool is_call = instruction.flow == Flow::call;
    analysis_.branches.push_back({instruction.target, instruction.address, is_call});
  }
  if (instruction.relative_memory) decoded.tables.push_back(*instruction.relative_memory);
  if (instruction.indexed_table) decoded.tables.push_back(*instruction.indexed_table);
  const bool has_no_frame = std::exchange(decoded.releases_frame, instruction.releases_frame);
  if (instruction.flow == Flow::computed_jump && !leaves_by(instruction, has_no_frame))
    decoded.has_unknown_jump = true;
}

bool EntryCheck::follow_tables(const Function& function, const std::vector<std::uint64_t>& tables) {
  bool has_any = false;
  for (const std::uint64_t table : tables) {
    if (module_->image.is_code(table)) continue;
    has_any |= follow(table, sizeof(std::int32_t), function);
    has_any |= follow(table, sizeof(std::uint64_t), function);
  }
  return has_any;
}

// Compilers write tables of distances from the table (4 bytes) or of addresses (8 bytes). The length of a
// table is not stored: it is followed as long as its entries lead into the function.
bool EntryCheck::follow(std::uint64_t table, std::size_t entry_bytes, const Function& function) {
  constexpr std::size_t max_entries = 4096;
  const Bytes bytes = module_->image.bytes_at(table, max_entries * entry_bytes);
  std::size_t followed = 0;
  for (std::size_t at = 0; at + entry_bytes <= bytes.size(); at += entry_bytes, ++followed) {
    std::uint64_t target = 0;
    if (entry_bytes == sizeof(std::int32_t)) {
      std::int32_t distance = 0;
      std::memcpy(&distance, bytes.data() + at, sizeof distance);
      target = table + static_cast<std::uint64_t>(std::int64_t{distance});
    } else {
      std::memcpy(&target, bytes.data() + at, sizeof target);
    }
    if (!contains(function, target) || work_left_ == 0) break;
    --work_left_;
    analysis_.table_targets.push_back(target);
  }
  return followed > 0;
}

std::vector<std::uint64_t> EntryCheck::callers_of(
    const std::function<bool(const Function&)>& is_called) const {
  std::vector<std::uint64_t> callers;
  for (const Function& called : module_->functions) {
    if (!is_called(called)) continue;
    auto branch = std::ranges::lower_bound(analysis_.branches, called.address, {}, &Branch::to);
    for (; branch != analysis_.branches.end() && branch->to == called.address; ++branch) {
      const auto next = std::ranges::upper_bound(module_->functions, branch->from, {}, &Function::address);
      if (next == module_->functions.begin()) continue;  // possible only if the kept result is wrong
      const Function& caller = *std::prev(next);
      if (caller.address != called.address) callers.push_back(caller.address);
    }
  }
  std::ranges::sort(callers);
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  return callers;
}

std::vector<const Function*> EntryCheck::callees_of(const Function& caller) const {
  std::vector<const Function*> callees;
  for (const Branch& branch : analysis_.branches) {
    if (branch.from < caller.address || branch.from >= caller.address + caller.size) continue;
    const Function* const called = first_from(branch.to);
    if (called == nullptr || called->address != branch.to || called->address == caller.address) continue;
    if (callees.empty() || callees.back() != called) callees.push_back(called);  // sorted by target
  }
  return callees;
}

bool EntryCheck::is_led_into(std::uint64_t begin, std::uint64_t end) const {
  const auto branch = std::ranges::lower_bound(analysis_.branches, begin, {}, &Branch::to);
  const auto target = std::ranges::lower_bound(analysis_.table_targets, begin);
  return (branch != analysis_.branches.end() && branch->to < end) ||
         (target != analysis_.table_targets.end() && *target < end);
}

std::vector<std::uint64_t> EntryCheck::branches_to(std::uint64_t address) const {
  std::vector<std::uint64_t> from;
  auto branch = std::ranges::lower_bound(analysis_.branches, address, {}, &Branch::to);
  for (; branch != analysis_.branches.end() && branch->to == address; ++branch) from.push_back(branch->from);
  std::ranges::sort(from);
  from.erase(std::unique(from.begin(), from.end()), from.end());  // functions may share code
  return from;
}

bool EntryCheck::has_data(const Function& function) const {
  const auto refused = analysis_.refused.find(function.address);
  return refused != analysis_.refused.end() && refused->second != EntryRefusal::unknown_jump;
}

bool EntryCheck::is_understood(const Function& function) const {
  return !analysis_.refused.contains(function.address);
}

const Function* EntryCheck::first_from(std::uint64_t address) const {
  const auto first = std::ranges::lower_bound(module_->functions, address, {}, &Function::address);
  return first == module_->functions.end() ? nullptr : &*first;
}

const Function* EntryCheck::function_at(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(module_->functions, address, {}, &Function::address);
  if (next == module_->functions.begin()) return nullptr;
  const Function& function = *std::prev(next);
  return contains(function, address) ? &function : nullptr;
}

std::uint64_t EntryCheck::place_in(const ElfImage& image, const Function& function) {
  const auto first = decode(image.bytes_at(function.address, 16), function.address);
  return first && first->is_landing ? first->end() : function.address;
}

EntryRefusal EntryCheck::refusal_of(const Function& function) const {
  if (function.is_resolver) return EntryRefusal::resolver;
  if (is_cold_section(function.name)) return EntryRefusal::cold_section;
  if (function.size == 0) return EntryRefusal::no_size;
  if (!module_->image.is_code(function.address)) return EntryRefusal::not_code;
  Stretch replaced{};
  const EntryRefusal refusal = refusal_of_first(function, replaced);
  return refusal != EntryRefusal::none ? refusal : refusal_of_branches(function, replaced);
}

EntryRefusal EntryCheck::refusal_of_first(const Function& function, Stretch& replaced) const {
  const Bytes code = module_->image.bytes_at(function.address, function.size);
  const std::uint64_t place = place_in(module_->image, function);
  replaced = {place, place};
  while (replaced.end - place < probe_jump_bytes) {
    if (replaced.end - function.address >= function.size) return EntryRefusal::too_short;
    const auto instruction = decode(code.subspan(replaced.end - function.address), replaced.end);
    if (!instruction) return EntryRefusal::not_decoded;
    if (instruction->flow == Flow::call || instruction->flow == Flow::computed_call)
      return EntryRefusal::call;
    if (instruction->flow == Flow::short_jump) return EntryRefusal::short_jump;
    if (instruction->is_system_call) return EntryRefusal::system_call;
    if (instruction->is_breakpoint) return EntryRefusal::breakpoint;
    replaced.end = instruction->end();
  }
  return EntryRefusal::none;
}

EntryRefusal EntryCheck::refusal_of_branches(const Function& function, const Stretch& replaced) const {
  const auto next = std::ranges::upper_bound(module_->functions, function.address, {}, &Function::address);
  if (next != module_->functions.end() && next->address < replaced.end) return EntryRefusal::other_function;
  const auto first = std::ranges::lower_bound(analysis_.branches, function.address, {}, &Branch::to);
  for (auto branch = first; branch != analysis_.branches.end() && branch->to < replaced.end; ++branch) {
    if (branch->to > replaced.begin) return EntryRefusal::branch_into;
    const bool is_own = contains(function, branch->from);
    if (is_own && !branch->is_call) return EntryRefusal::loop_to_entry;
  }
  const auto target = std::ranges::lower_bound(analysis_.table_targets, function.address);
  if (target != analysis_.table_targets.end() && *target < replaced.end) return EntryRefusal::table_into;
  const auto refused = analysis_.refused.find(function.address);
  return refused == analysis_.refused.end() ? EntryRefusal::none : refused->second;
}

}  // namespace eventspace
