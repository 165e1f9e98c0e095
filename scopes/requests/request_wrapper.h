#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scopes/requests/request_action.h"
#include "scopes/tree/scope_tree.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The most actions of one request.
inline constexpr std::size_t most_request_actions = 16;

/// Where the processes are that a request steers: those of a session on this machine.
struct SteeredProcesses {
  std::string session;
  std::string node;  ///< empty: of all nodes
  std::filesystem::path directory;
};

/// The wrapper "request": does what a conditional request asks for with the events that are read below it
/// (grid-distributed-evaluation, sections 5.2.1 and 6.7), where they are read, and sends what it came to
/// (ViewParcel::Of::request) instead of the events. Only events that are to be printed go on, and of an
/// action that runs a command at the front-end the last one of each process.
///
/// Each event is taken once, also if its view is lost and comes again; a process is stopped, continued or
/// switched once for all its events of a view. After `most` events it does nothing any more.
ScopeWrapperInfo request_wrapper(const SteeredProcesses& processes);

/// Lets the servers of `tree` carry out the actions, each in the form of request_action, for at most `most`
/// events each; 0: no limit. Pure.
void request_at_servers(ScopeTree& tree, const std::vector<std::string>& actions, std::uint64_t most);

/// Whether a part of `tree` stops, continues or switches processes. Only owners of a session may open it.
/// Throws ConfigurationError if an action is malformed. Pure.
bool steers_processes(const ScopeNode& tree);

}  // namespace eventspace
