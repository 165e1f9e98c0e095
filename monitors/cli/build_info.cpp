#include "monitors/cli/build_info.h"

#include <fmt/format.h>

namespace eventspace {

std::string version_text(const BuildInfo& build) {
  const std::string commit = build.commit.empty()
                                 ? "unknown: built neither in a git checkout nor from a git archive"
                                 : fmt::format("{} of {}", build.commit, build.date);
  return fmt::format("eventspace {}\ncommit: {}\ncompiler: {}\nbuild type: {}", build.version, commit,
                     build.compiler, build.type);
}

}  // namespace eventspace
