#include "pathmaps/observing/named_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <eventspace/error.h>
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/security/observer_token.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

[[noreturn]] void refuse_unknown(const std::string& name) {
  throw EnvironmentError(
      fmt::format("there is no file '{0}', and no process of a session '{0}' on this machine. `eventspace "
                  "ls` lists the sessions; `eventspace run --session {0} -- COMMAND` starts one",
                  name));
}

// Whether the process that made the segment runs without a pathmap. False if the segment cannot be read.
bool is_dynamic(const std::filesystem::path& file) {
  try {
    return SegmentView(file).identity().fingerprint == 0;
  } catch (const EnvironmentError&) {
    return false;
  }
}

}  // namespace

NamedSession find_named_session(const std::string& name, const Warn& warn) {
  check_session_name(name);
  if (const std::string endpoint = observed_endpoint(name); !endpoint.empty())
    return {plan_of_session_at(name, endpoint)};
  (void)security_of_observer(name);  // throws if a token is for another session
  const auto segments = find_segments(name);
  const auto job = find_job(name, warn);
  if (segments.empty() && !job) refuse_unknown(name);
  if (!segments.empty() && std::ranges::none_of(segments, is_dynamic)) {
    throw EnvironmentError(fmt::format(
        "the processes of session '{}' were started with a pathmap; name its file instead of the session",
        name));
  }
  const bool has_pathmap_too = !std::ranges::all_of(segments, is_dynamic);
  return {job ? plan_of_found_job(*job, name, warn) : plan_of_session(name), has_pathmap_too};
}

}  // namespace eventspace
