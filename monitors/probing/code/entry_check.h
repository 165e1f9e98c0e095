#pragma once

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

/// Why a function cannot have a probe at its entry. The numbers are stored in files
/// (analysis_cache/cache_format.h).
enum class EntryRefusal : std::uint8_t {
  none = 0,  ///< it can have one
  not_decoded = 1,
  data = 2,
  not_code = 3,
  no_size = 4,
  resolver = 5,
  cold_section = 6,
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

/// The result of decoding a module, which takes long. An EntryCheck looks up everything else.
struct EntryAnalysis {
  struct Branch {
    std::uint64_t to;
    std::uint64_t from;
    bool is_call;

    friend bool operator==(const Branch&, const Branch&) = default;
  };

  std::vector<Branch> branches{};                             ///< of functions, sorted by `to`
  std::vector<std::uint64_t> table_targets{};                 ///< sorted
  std::unordered_map<std::uint64_t, EntryRefusal> refused{};  ///< by address of function

  friend bool operator==(const EntryAnalysis&, const EntryAnalysis&) = default;
};

/// The reason in words, to follow "no: ".
std::string_view to_string(EntryRefusal refusal) noexcept;

/// Whether a computed jump at the end of a function calls another function (a tail call). It does if it goes
/// through a fixed place or through a member of an object, or if the instruction before it released the
/// frame.
bool leaves_by(const Instruction& computed_jump, bool is_frame_released) noexcept;

/// Whether the name denotes a cold section of another function, `f.cold`.
bool is_cold_section(const std::string& name);

/// The name of the function to which the cold section belongs.
std::string_view whole_of(std::string_view cold_section);

/// Checks at which functions of a module a probe can be put at the entry. Such a probe is a jump of 5 bytes
/// that replaces the first whole instructions, after an `endbr64`. The replaced instructions run elsewhere.
/// So no branch may lead between them, and none of them may be one whose address the program stores.
///
/// The constructor decodes all functions of the module: about a second for programs of 50 MB. Jump tables are
/// followed; a function with a computed jump whose table cannot be read is refused. Immutable after
/// construction.
class EntryCheck {
 public:
  /// `module` must outlive it.
  explicit EntryCheck(const ModuleSymbols& module);
  /// Takes the result of an earlier decoding of the same module.
  EntryCheck(const ModuleSymbols& module, EntryAnalysis analysis)
      : module_(&module), analysis_(std::move(analysis)) {}

  [[nodiscard]] EntryRefusal refusal_of(const Function& function) const;
  /// The addresses of the functions with a direct call or jump to the beginning of a function that
  /// `is_called` selects, in ascending order. A function that calls only itself does not count.
  [[nodiscard]] std::vector<std::uint64_t> callers_of(
      const std::function<bool(const Function&)>& is_called) const;
  /// The functions of the same module that this one calls directly or ends with a jump to, in ascending order
  /// of addresses, without itself.
  [[nodiscard]] std::vector<const Function*> callees_of(const Function& caller) const;
  /// Whether a jump, a call or a jump table leads to one of the addresses from `begin` to `end` (exclusive).
  [[nodiscard]] bool is_led_into(std::uint64_t begin, std::uint64_t end) const;
  /// The addresses of the instructions that jump to this address or call it, in ascending order.
  [[nodiscard]] std::vector<std::uint64_t> branches_to(std::uint64_t address) const;
  /// Whether the function has bytes that are not instructions, or was not decoded: its branches may then be
  /// false.
  [[nodiscard]] bool has_data(const Function& function) const;
  /// Whether the function has no such bytes, and all its computed jumps are known.
  [[nodiscard]] bool is_understood(const Function& function) const;
  /// The first function that begins at this address or after it; null if there is none.
  [[nodiscard]] const Function* first_from(std::uint64_t address) const;
  /// The function whose bytes include the address; null if there is none.
  [[nodiscard]] const Function* function_at(std::uint64_t address) const;
  [[nodiscard]] const ModuleSymbols& module() const noexcept { return *module_; }
  [[nodiscard]] const EntryAnalysis& analysis() const noexcept { return analysis_; }
  /// The address of the first instruction that a probe at the entry replaces: after `endbr64`.
  [[nodiscard]] static std::uint64_t place_in(const ElfImage& image, const Function& function);

 private:
  using Branch = EntryAnalysis::Branch;
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
  };

  /// The state while a function is decoded.
  struct Decoded {
    std::vector<std::uint64_t> tables;  ///< possible addresses of jump tables
    bool has_unknown_jump{false};
    bool releases_frame{false};  ///< whether the previous instruction does
  };

  void scan(const Function& function);
  void note(const Instruction& instruction, Decoded& decoded);
  bool follow_tables(const Function& function, const std::vector<std::uint64_t>& tables);
  bool follow(std::uint64_t table, std::size_t entry_bytes, const Function& function);
  [[nodiscard]] EntryRefusal refusal_of_first(const Function& function, Stretch& replaced) const;
  [[nodiscard]] EntryRefusal refusal_of_branches(const Function& function, const Stretch& replaced) const;

  const ModuleSymbols* module_;
  std::uint64_t work_left_{0};  // budget of bytes of code and entries of tables
  EntryAnalysis analysis_;
};

}  // namespace eventspace
