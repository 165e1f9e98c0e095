#include "monitors/watching/watched.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "monitors/cli/faulty_pathmap.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/session.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/security/observer_token.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

bool must_be_file(const std::string& text) {
  return text.empty() || text == "-" || text.find('/') != std::string::npos || looks_like_pathmap(text);
}

// A program and its session often have one name, so a file of that name counts only if there is no session.
bool names_pathmap(const std::filesystem::path& named) {
  const std::string text = named.string();
  std::error_code error;
  return must_be_file(text) ||
         (find_segments(text).empty() && std::filesystem::is_regular_file(named, error));
}

// Returns `named`, which is the name of a session.
std::string require_one_name(const std::filesystem::path& named, const std::string& session) {
  std::string name = named.string();
  check_session_name(name);
  if (!session.empty() && session != name) {
    throw ConfigurationError(
        fmt::format("found session '{}' and --session '{}'; expected one of them, or the file of a pathmap",
                    name, session));
  }
  return name;
}

[[noreturn]] void refuse_unknown(const std::string& name) {
  throw EnvironmentError(
      fmt::format("there is no file '{0}', and no process of a session '{0}' on this machine. `eventspace "
                  "ls` lists the sessions; `eventspace run --session {0} -- COMMAND` starts one",
                  name));
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
  const std::string endpoint = must_be_file(named.string()) ? "" : observed_endpoint(named.string());
  if (endpoint.empty() && names_pathmap(named)) return {read_pathmap(named), session};
  const std::string name = require_one_name(named, session);
  if (!endpoint.empty()) return {plan_of_session_at(name, endpoint), name};
  (void)security_of_observer(name);  // throws if a token is for another session
  const auto segments = find_segments(name);
  if (segments.empty()) refuse_unknown(name);
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

std::string find_session(const std::filesystem::path& named, const std::string& session) {
  if (names_pathmap(named)) return session_name(*read_pathmap(named), session);
  return require_one_name(named, session);
}

}  // namespace eventspace
