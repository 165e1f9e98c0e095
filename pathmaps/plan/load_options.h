#pragma once

#include <filesystem>
#include <string>

namespace eventspace {

/// Options of load_plan (pathmaps/pathmap.h) beyond reading and checking.
struct LoadOptions {
  /// False for a process of the application, which does not run scopes: the shared objects under `wrappers:`
  /// are not loaded into it. If the pathmap names any, the plan is without scopes.
  bool for_scopes{true};
  /// False to check a pathmap without running code that it names: shared objects are not loaded, and are
  /// checked as far as possible. The rest of the pathmap is checked as usual, except parameters of their
  /// wrappers and scopes that observe others. If the pathmap names any, the plan is without scopes.
  bool load_libraries{true};
  /// False for a pathmap that is not trusted to name files: `include:` is a fault.
  bool follow_includes{true};
};

/// A shared object that a pathmap names under `wrappers:`.
struct NamedLibrary {
  std::string wrapper;         ///< its name in the pathmap
  std::filesystem::path file;  ///< absolute, without symbolic links
  friend bool operator==(const NamedLibrary&, const NamedLibrary&) = default;
};

}  // namespace eventspace
