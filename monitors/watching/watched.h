#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// What a monitor watches, and in which session: that of a pathmap, or one without
/// (pathmaps/plan/session_plan.h).
struct Watched {
  std::shared_ptr<const Plan> plan;
  std::string session;  ///< as given with --session; empty: see session_name
};

/// Adds the argument of a monitor: the file of a pathmap, or the name of a session.
void add_watched(CLI::App& app, std::filesystem::path& named);

/// Finds what a user named. A name that ends in ".yaml" or ".yml" or has a '/' is a pathmap, `-` one on
/// standard input. Any other is the session of the observer's token in $EVENTSPACE_KEYS; or a session of this
/// machine whose processes have no pathmap; or, if there is none, a file. If other processes of the session
/// have a pathmap, says so on standard error.
///
/// Throws FaultyPathmap for a faulty pathmap; EnvironmentError, which says what to do, if there is neither a
/// file nor a process of that session, or its processes have a pathmap; ConfigurationError if `session` was
/// given as well as the name of a session, or a token is for another session.
Watched find_watched(const std::filesystem::path& named, const std::string& session);

/// Returns the session that a user named, as find_watched does, whether or not a process of it runs. Throws
/// FaultyPathmap and ConfigurationError as find_watched does.
std::string find_session(const std::filesystem::path& named, const std::string& session);

}  // namespace eventspace
