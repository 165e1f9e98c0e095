#pragma once

#include <string>

namespace eventspace {

/// The sources and options of a build. The same sources, compiler and options give the same text: it does not
/// contain times or directories of the build.
struct BuildInfo {
  std::string version;  ///< "0.1.0"
  std::string commit;   ///< 40 digits, with "-modified" for changed sources; empty if unknown
  std::string date;     ///< of the commit, "2026-11-24"; empty if unknown
  std::string compiler;
  std::string type;  ///< "RelWithDebInfo", with sanitizers
};

/// Several lines; the first is "eventspace VERSION".
std::string version_text(const BuildInfo& build);

}  // namespace eventspace
