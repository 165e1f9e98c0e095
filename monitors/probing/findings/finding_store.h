#pragma once

// Private to monitors/.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "monitors/probing/findings/finding_format.h"

namespace eventspace {

/// Keeps what the decoding of modules has found out, beyond a command: decoding takes most of the time of a
/// command that looks for functions in a large program. A file for each build-id, of this user alone, in a
/// directory of this user alone:
///
///     $XDG_CACHE_HOME/eventspace/BUILD-ID.findings     $HOME/.cache without the variable
///
/// $XDG_CACHE_HOME must belong to this user; if it is missing it is made, in a directory of this user: root
/// leaves nothing in the home of the user whose HOME it has.
///
/// It saves time and nothing else: without the directory, or without room, all is decoded each time. What is
/// in a file is used only if it belongs to this user, is not open to others, is whole, and is of the same
/// bytes and functions; else it is written anew. Modules are kept only if their file belongs to this user or
/// root and no other user can change it, so that no other user decides what is kept of a build-id. A file
/// gets its name when it is complete, so commands may run at the same time. If all are larger than a limit,
/// those go first that have not been used for the longest time. No function throws, or says anything.
class FindingStore {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{128} << 20;  ///< of all files

  /// That of this user. Makes the directory if need be.
  static FindingStore of_user();
  /// Keeps files in this directory, which must be one of this user alone; nothing: keeps none.
  explicit FindingStore(std::optional<std::filesystem::path> directory, std::uint64_t limit = most_bytes)
      : directory_(std::move(directory)), limit_(limit) {}

  /// Decodes a module, or takes what is known of it. `module` must outlive the result.
  [[nodiscard]] EntryCheck check_of(const ModuleSymbols& module) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const FoundIn& module) const;
  void write(const FoundIn& module, const EntryFindings& findings) const;
  void make_room() const;

  std::optional<std::filesystem::path> directory_;
  std::uint64_t limit_;
};

}  // namespace eventspace
