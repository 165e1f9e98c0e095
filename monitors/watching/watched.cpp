#include "monitors/watching/watched.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "monitors/cli/faulty_pathmap.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

// A program and its session often have one name, so a file of that name counts only if there is no session.
bool names_pathmap(const std::filesystem::path& named) {
  const std::string text = named.string();
  const bool must_be_file =
      text.empty() || text == "-" || text.find('/') != std::string::npos || looks_like_pathmap(text);
  std::error_code error;
  return must_be_file || (find_segments(text).empty() && std::filesystem::is_regular_file(named, error));
}

// Whether the process that made the segment has no pathmap. False if the segment cannot be read.
bool is_unplanned(const std::filesystem::path& file) {
  try {
    return SegmentView(file).identity().fingerprint == 0;
  } catch (const EnvironmentError&) {
    return false;
  }
}

}  // namespace

void add_watched(CLI::App& app, std::filesystem::path& named) {
  app.add_option("PATHMAP", named, "The pathmap (YAML), or the name of a session without one")->required();
}

Watched find_watched(const std::filesystem::path& named, const std::string& session) {
  if (names_pathmap(named)) return {read_pathmap(named), session};
  const std::string name = named.string();
  check_session_name(name);
  if (!session.empty() && session != name) {
    throw ConfigurationError(
        fmt::format("found session '{}' and --session '{}'; expected one of them, or the file of a pathmap",
                    name, session));
  }
  const auto segments = find_segments(name);
  if (segments.empty()) {
    throw EnvironmentError(
        fmt::format("there is no file '{0}', and no process of a session '{0}' on this machine. `eventspace "
                    "ls` lists the "
                    "sessions; `eventspace run --session {0} -- COMMAND` starts one",
                    name));
  }
  if (std::ranges::none_of(segments, is_unplanned)) {
    throw EnvironmentError(fmt::format(
        "the processes of session '{}' were started with a pathmap; name its file instead of the session",
        name));
  }
  if (!std::ranges::all_of(segments, is_unplanned)) {
    std::cerr << fmt::format(
        "eventspace: session {} has processes with a pathmap too; name its file to see them\n", name);
  }
  return {plan_of_session(name), name};
}

}  // namespace eventspace
