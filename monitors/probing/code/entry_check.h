#pragma once

// Private to monitors/.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "monitors/probing/code/instruction.h"
#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// Why a function cannot have a probe at its entry. The numbers are kept in files
/// (findings/finding_format.h).
enum class EntryRefusal : std::uint8_t {
  none = 0,  ///< it can
  not_decoded = 1,
  data = 2,
  not_code = 3,
  no_size = 4,
  resolver = 5,
  cold_part = 6,
  too_short = 7,
  other_function = 8,
  call = 9,
  short_jump = 10,
  system_call = 11,
  breakpoint = 12,
  branch_into = 13,
  loop_to_entry = 14,
  table_into = 15,
  unknown_jump = 16,
  too_much_code = 17
};

/// What the decoding of a module finds out, which takes long. All else an EntryCheck looks up.
struct EntryFindings {
  struct Branch {
    std::uint64_t to;
    std::uint64_t from;
    bool is_call;

    friend bool operator==(const Branch&, const Branch&) = default;
  };

  std::vector<Branch> branches{};                             ///< of functions, sorted by `to`
  std::vector<std::uint64_t> table_targets{};                 ///< sorted
  std::unordered_map<std::uint64_t, EntryRefusal> refused{};  ///< by address of function

  friend bool operator==(const EntryFindings&, const EntryFindings&) = default;
};

/// The reason in words, to be put after "no: ".
std::string_view to_string(EntryRefusal refusal) noexcept;

/// Whether a computed jump calls another function at the end of this one, as it is: through one fixed place,
/// through a member of an object, or behind the release of the frame, which the instruction before it was.
bool leaves_by(const Instruction& computed_jump, bool is_frame_released) noexcept;

/// Whether it is the seldom used part of another function, `f.cold`.
bool is_cold_part(const std::string& name);

/// The name of the function that it is a part of.
std::string_view whole_of(std::string_view cold_part);

/// Says at which functions of a module a probe can be put at the entry, which is a jump of 5 bytes in the
/// place of the first whole instructions, behind an `endbr64`. These instructions then run elsewhere, so
/// nothing may jump between them; and no instruction may be among them whose own address the program
/// remembers.
///
/// To know that, all functions of the module are decoded once: in about a second for programs of 50 MB.
/// Tables of jumps are followed; where a computed jump has none that can be read, the function is refused.
/// Immutable after construction.
class EntryCheck {
 public:
  /// `module` must outlive it.
  explicit EntryCheck(const ModuleSymbols& module);
  /// Takes what was found out in the same module before.
  EntryCheck(const ModuleSymbols& module, EntryFindings findings)
      : module_(&module), findings_(std::move(findings)) {}

  [[nodiscard]] EntryRefusal refusal_of(const Function& function) const;
  /// The addresses of the functions with a direct call or jump to the beginning of one that `is_called`
  /// chooses, in their order. A function that calls only itself is none.
  [[nodiscard]] std::vector<std::uint64_t> callers_of(
      const std::function<bool(const Function&)>& is_called) const;
  /// The functions that this one calls directly, or ends with a jump to, in the order of their addresses:
  /// those of the same module, without itself.
  [[nodiscard]] std::vector<const Function*> callees_of(const Function& caller) const;
  /// Whether a jump, a call or a table of jumps leads to one of the addresses from `begin` to `end`, without
  /// `end`.
  [[nodiscard]] bool is_led_into(std::uint64_t begin, std::uint64_t end) const;
  /// The addresses of the instructions that jump to this one or call it, in their order.
  [[nodiscard]] std::vector<std::uint64_t> branches_to(std::uint64_t address) const;
  /// Whether a table of jumps leads to exactly this address.
  [[nodiscard]] bool is_in_table(std::uint64_t address) const;
  /// Whether the function has bytes that are no instructions, or was not looked at: branches of it may be
  /// none.
  [[nodiscard]] bool has_data(const Function& function) const;
  /// Whether it has none, and all its computed jumps are known.
  [[nodiscard]] bool is_understood(const Function& function) const;
  /// The function that begins first at this address or behind it; null: none.
  [[nodiscard]] const Function* first_from(std::uint64_t address) const;
  /// The function whose bytes include the address; null: none.
  [[nodiscard]] const Function* function_at(std::uint64_t address) const;
  [[nodiscard]] const ModuleSymbols& module() const noexcept { return *module_; }
  [[nodiscard]] const EntryFindings& findings() const noexcept { return findings_; }
  /// The address of the first instruction that a probe at the entry replaces: behind `endbr64`.
  [[nodiscard]] static std::uint64_t place_in(const ElfImage& image, const Function& function);

 private:
  using Branch = EntryFindings::Branch;
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
  };

  /// While a function is decoded.
  struct Decoded {
    std::vector<std::uint64_t> tables;  ///< addresses that may be those of tables of jumps
    bool has_unknown_jump{false};
    bool releases_frame{false};  ///< the instruction before does
  };

  void scan(const Function& function);
  void note(const Instruction& instruction, Decoded& decoded);
  bool follow_tables(const Function& function, const std::vector<std::uint64_t>& tables);
  bool follow(std::uint64_t table, std::size_t entry_bytes, const Function& function);
  [[nodiscard]] EntryRefusal refusal_of_first(const Function& function, Stretch& replaced) const;
  [[nodiscard]] EntryRefusal refusal_of_branches(const Function& function, const Stretch& replaced) const;

  const ModuleSymbols* module_;
  std::uint64_t work_left_{0};  // bytes of code and entries of tables that may still be read
  EntryFindings findings_;
};

}  // namespace eventspace
