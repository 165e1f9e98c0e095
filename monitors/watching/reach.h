#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "pathmaps/sessions/consumer.h"

namespace eventspace {

/// The user's names of the watched things, for messages with advice.
struct AskedFor {
  std::filesystem::path pathmap;
  std::string session{};  ///< as given with --session
};

/// "q.yaml", or "q.yaml --session B": the arguments of a command.
std::string words_of(const AskedFor& asked);

/// Requires that a server from which `tree` pulls answers, and that it belongs to the consumer's session and
/// pathmap. To be called by a monitor before its first pull; a server that is lost later is not an error.
/// Returns as soon as one server has answered. No effect if the consumer does not pull from servers.
///
/// Blocks up to `timeout` (0: the time-out of the tree), or a second if that is longer. Blocks up to half a
/// minute while a server runs on this machine that is not stopped (further_patience). Throws
/// EnvironmentError, on one line, with the finding and advice, if no server answers, or if the first to
/// answer has another session, another version of the pathmap, or another version of the protocol.
void require_servers(Consumer& consumer, const ScopeTree& tree, const AskedFor& asked,
                     std::chrono::nanoseconds timeout);

/// Does the same for the servers at `endpoints`.
void require_servers(Consumer& consumer, const std::set<std::string>& endpoints, const AskedFor& asked,
                     std::chrono::nanoseconds timeout);

/// The finding of a monitor that saw no event.
enum class Found : std::uint8_t {
  no_process,  ///< servers, but no processes of the session
  no_answer,   ///< servers that answered when the monitor began, but not in time when it pulled
  processes,   ///< processes that have recorded nothing
  others       ///< events, but none that was requested
};

/// A sentence of advice when nothing was seen. `is_recorded`: whether a recording was watched.
std::string next_step(Found found, bool is_recorded, const AskedFor& asked);

}  // namespace eventspace
