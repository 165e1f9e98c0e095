#pragma once

#include <memory>
#include <optional>
#include <string>

#include "paths/views/rank_set.h"
#include "scopes/streams/back_end.h"
#include "tuplespace/system/deadline.h"

namespace eventspace {

/// Attaches to the network of streams that a front-end has opened for a session (FrontEnd::Options::session,
/// LaunchOptions::session), without an address or a file with keys: the network is found by the session's
/// name on this machine, among those of this user. Waits until there is one. For programs that are in a
/// session and do not use the class Session, which has a function of its own for it, such as those under
/// `eventspace run`.
///
/// `session`: empty: $EVENTSPACE_SESSION. `rank`: the place to take, which must be free or become so until
/// the deadline; without it, any place. `network`: its name; empty: the session's only one.
///
/// Throws ConfigurationError if no session is named, or it has several networks and none is named, and
/// EnvironmentError, with the reason of the last attempt, if attaching is not possible until the deadline.
[[nodiscard]] std::unique_ptr<streams::BackEnd> open_back_end(const std::string& session,
                                                              std::optional<RankSet::Rank> rank,
                                                              Deadline deadline,
                                                              const std::string& network = {});

}  // namespace eventspace
