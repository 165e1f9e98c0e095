#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "pathmaps/sessions/consumer.h"

namespace eventspace {

/// What a user called the things that a monitor watches, for messages that say what to do.
struct AskedFor {
  std::filesystem::path pathmap;
  std::string session{};  ///< as given with --session
};

/// "q.yaml", or "q.yaml --session B": the words behind a command.
std::string words_of(const AskedFor& asked);

/// Requires that a server answers from which `tree` pulls and that it is one of the consumer's session and
/// pathmap. To be called by a monitor before its first pull; a server that is lost later is no error. Returns
/// as soon as one server has answered. No effect if the consumer pulls from no server.
///
/// Blocks for `timeout` at the longest, if that is more than a second; 0: the time-out of the tree; longer,
/// up to half a minute, while a server runs on this machine that is not stopped (further_patience). Throws
/// EnvironmentError, on one line, with what was found and what to do: if no server answers, or the first to
/// answer is one of another session, of another version of the pathmap, or of the protocol.
void require_servers(Consumer& consumer, const ScopeTree& tree, const AskedFor& asked,
                     std::chrono::nanoseconds timeout);

/// The same for the servers at `endpoints`.
void require_servers(Consumer& consumer, const std::set<std::string>& endpoints, const AskedFor& asked,
                     std::chrono::nanoseconds timeout);

/// What a monitor found that saw no event.
enum class Found : std::uint8_t {
  no_process,  ///< servers, but no process of the session
  no_answer,   ///< servers that answered when the monitor began, and not in time when it pulled
  processes,   ///< that have recorded nothing
  others       ///< events, but none that was asked for
};

/// What to do when nothing was seen; a sentence. `is_recorded`: whether a recording was watched.
std::string next_step(Found found, bool is_recorded, const AskedFor& asked);

}  // namespace eventspace
