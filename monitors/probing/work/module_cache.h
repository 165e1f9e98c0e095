#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "monitors/probing/analysis_cache/analysis_cache.h"
#include "monitors/probing/code/entry_check.h"
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// The symbols of a module. Its functions are decoded on first use, as most modules of a process have none of
/// the searched functions. Not thread-safe.
class DecodedModule {
 public:
  DecodedModule(ModuleSymbols read, std::shared_ptr<const AnalysisCache> cache)
      : symbols(std::move(read)), analysis_cache_(std::move(cache)) {}
  DecodedModule(const DecodedModule&) = delete;
  DecodedModule& operator=(const DecodedModule&) = delete;

  const ModuleSymbols symbols;
  /// Decodes the functions on first use. Valid as long as this object.
  [[nodiscard]] const EntryCheck& check() const {
    if (!check_) check_.emplace(analysis_cache_->check_of(symbols));
    return *check_;
  }

 private:
  std::shared_ptr<const AnalysisCache> analysis_cache_;
  mutable std::optional<EntryCheck> check_;
};

/// Modules that several processes have mapped, or that are needed repeatedly. Each is read once, and decoded
/// once if needed, which takes about a second for 50 MB of code that no earlier command has decoded
/// (AnalysisCache). When it holds `max_modules`, it is emptied. Not thread-safe.
class ModuleCache {
 public:
  static constexpr std::size_t max_modules = 256;

  /// Throws as file_of() and read_module() do. The result is valid as long as the pointer.
  std::shared_ptr<const DecodedModule> decoded(std::int32_t pid, const ProcessModule& module);

 private:
  std::shared_ptr<const AnalysisCache> analysis_cache_{
      std::make_shared<const AnalysisCache>(AnalysisCache::of_user())};
  using File = std::tuple<std::string, std::uint64_t, std::string>;  // device, inode, path
  std::map<File, std::shared_ptr<const DecodedModule>> modules_;
};

}  // namespace eventspace
