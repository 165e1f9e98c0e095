#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "monitors/probing/symbols/module_symbols.h"
#include "tests/monitors/probing/small_elf.h"

namespace eventspace::testing_probing {

// Machine code is written in bytes, with the instructions beside it.

inline const std::string push_rbp = "\x55";
inline const std::string move_rbp = "\x48\x89\xe5";        // mov %rsp,%rbp
inline const std::string take_frame = "\x48\x83\xec\x10";  // sub $16,%rsp
inline const std::string leave_and_return = "\xc9\xc3";    // leave; ret
inline const std::string endbr64 = "\xf3\x0f\x1e\xfa";
inline const std::string simple = push_rbp + move_rbp + take_frame + leave_and_return;  // 10 bytes

inline constexpr char breakpoint = '\xcc';

/// A module with the functions one after the other from 0x1000 on. Functions of breakpoints only are padding,
/// without symbols. The others are f0, f1 ... unless they have `names`.
class SmallModule {
 public:
  explicit SmallModule(const std::vector<std::string>& functions, const std::string& data = "",
                       const std::vector<std::string>& names = {}) {
    std::string code;
    SmallElf elf;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (functions[i].find_first_not_of(breakpoint) != std::string::npos)
        elf.function(i < names.size() ? names[i] : "f" + std::to_string(i), SmallElf::code_at + code.size(),
                     functions[i].size());
      code += functions[i];
    }
    ElfImage image(elf.code(code).data(data).bytes());
    auto found = functions_of(image.functions());
    symbols_ = std::make_unique<ModuleSymbols>(ModuleSymbols{std::move(image), "", std::move(found), {}});
  }
  [[nodiscard]] const ModuleSymbols& symbols() const { return *symbols_; }
  [[nodiscard]] const Function& function(std::size_t place) const { return symbols_->functions.at(place); }

 private:
  std::unique_ptr<ModuleSymbols> symbols_;
};

}  // namespace eventspace::testing_probing
