#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "monitors/probing/code/entry_check.h"
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// A module whose symbols are read and whose functions are decoded.
struct DecodedModule {
  explicit DecodedModule(ModuleSymbols read) : symbols(std::move(read)), check(symbols) {}
  DecodedModule(const DecodedModule&) = delete;
  DecodedModule& operator=(const DecodedModule&) = delete;

  ModuleSymbols symbols;
  EntryCheck check;  // of the symbols
};

/// Modules that several processes have mapped, or that are needed again and again: each is read and decoded
/// once, which takes about a second for 20 MB of code. Keeps at most `most_modules`; then it begins anew. Not
/// thread-safe.
class ModuleCache {
 public:
  static constexpr std::size_t most_modules = 256;

  /// Throws as file_of() and read_module() do. The result is valid as long as its pointer.
  std::shared_ptr<const DecodedModule> decoded(std::int32_t pid, const ProcessModule& module);

 private:
  using File = std::tuple<std::string, std::uint64_t, std::string>;  // device, inode, path
  std::map<File, std::shared_ptr<const DecodedModule>> modules_;
};

}  // namespace eventspace
