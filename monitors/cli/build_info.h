#pragma once

// Private to monitors/.

#include <string>

namespace eventspace {

/// From what and how the program was built. The same sources, compiler and options give the same text: it has
/// no times and no directories of the build.
struct BuildInfo {
  std::string version;  ///< "0.1.0"
  std::string commit;   ///< 40 digits, with "-modified" for changed sources; empty: not known
  std::string date;     ///< of the commit, "2026-11-24"; empty: not known
  std::string compiler;
  std::string type;  ///< "RelWithDebInfo", with sanitizers
};

/// Several lines; the first is "eventspace VERSION".
std::string version_text(const BuildInfo& build);

}  // namespace eventspace
