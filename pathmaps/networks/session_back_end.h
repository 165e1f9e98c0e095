#pragma once

#include <memory>
#include <optional>
#include <string>

#include <eventspace/deadline.h>
#include <eventspace/rank_set.h>
#include <eventspace/streams.h>

namespace eventspace {

/// Attaches to the network of streams that a front-end has opened for a session (FrontEnd::Options::session,
/// LaunchOptions::session), without an address or a key file: the network is found by the session's name on
/// this machine, among the networks of this user. Waits until there is one. For programs in a session that do
/// not use the class Session, such as programs under `eventspace run`; Session has its own function for this.
///
/// `session`: empty means $EVENTSPACE_SESSION. `rank`: the place to take, which must be free or become free
/// by the deadline; nullopt means any place. `network`: its name; empty means the session's only network.
///
/// Throws ConfigurationError without a session name, or if it has several networks and none is named;
/// EnvironmentError with the reason of the last attempt if attaching fails until the deadline.
[[nodiscard]] std::unique_ptr<streams::BackEnd> open_back_end(const std::string& session,
                                                              std::optional<RankSet::Rank> rank,
                                                              Deadline deadline,
                                                              const std::string& network = {});

}  // namespace eventspace
