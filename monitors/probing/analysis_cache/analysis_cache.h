#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "monitors/probing/analysis_cache/cache_format.h"

namespace eventspace {

/// The analysis cache: keeps the results of decoding modules from one command to the next. Decoding takes
/// most of the time of a command that searches functions of a large program. There is one file for each
/// build-id. The files and their directory are private to this user:
///
///     $XDG_CACHE_HOME/eventspace/BUILD-ID.findings     $HOME/.cache without the variable
///
/// $XDG_CACHE_HOME must belong to this user. If it is missing, it is made if its parent belongs to this user:
/// so root leaves no files in the home of the user whose HOME it has.
///
/// The cache only saves time: without the directory, or without room, every module is decoded each time. A
/// file is used only if it belongs to this user, is not accessible to others, is complete, and matches the
/// module's bytes and functions; otherwise it is replaced. A result is kept only if the module's file belongs
/// to this user or root and cannot be changed by another user, so that no other user can decide the result
/// for a build-id. A file gets its name when it is complete, so commands may run at the same time. When the
/// files together exceed a limit, the least recently used are removed. No function throws or prints.
class AnalysisCache {
 public:
  static constexpr std::uint64_t max_bytes = std::uint64_t{128} << 20;  ///< limit for all files together

  /// The cache of this user. Makes the directory if needed.
  static AnalysisCache of_user();
  /// Keeps files in this directory, which must be private to this user; nullopt disables the cache.
  explicit AnalysisCache(std::optional<std::filesystem::path> directory, std::uint64_t limit = max_bytes)
      : directory_(std::move(directory)), limit_(limit) {}

  /// Decodes a module, or takes the cached result. `module` must outlive the result.
  [[nodiscard]] EntryCheck check_of(const ModuleSymbols& module) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const AnalysisKey& key) const;
  void write(const AnalysisKey& key, const EntryAnalysis& analysis) const;
  void make_room() const;

  std::optional<std::filesystem::path> directory_;
  std::uint64_t limit_;
};

}  // namespace eventspace
