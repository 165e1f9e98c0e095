#pragma once

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
inline constexpr std::size_t max_request_actions = 16;

/// The processes that a request steers: a session's processes on this machine.
struct SteeredProcesses {
  std::string session;
  std::string node;  ///< empty means all nodes
  std::filesystem::path directory;
};

/// The wrapper "request": performs the actions of a conditional request on the events that are read below it
/// (grid-distributed-evaluation, sections 5.2.1 and 6.7), where they are read, and sends the result
/// (ViewParcel::Of::request) instead of the events. Only events that are to be printed are passed on, and,
/// for an action that runs a command at the front-end, the last event of each process.
///
/// Each event is taken once, even if its view is lost and sent again. A process is stopped, continued or
/// switched once for all its events of a view. After `most` events the wrapper does nothing more.
ScopeWrapperInfo request_wrapper(const SteeredProcesses& processes);

/// Lets the servers of `tree` carry out the actions, each in the form of request_action, for at most `most`
/// events each; 0 means unlimited. Pure.
void request_at_servers(ScopeTree& tree, const std::vector<std::string>& actions, std::uint64_t most);

/// Whether a part of `tree` stops, continues or switches processes. Only owners of a session may open it.
/// Throws ConfigurationError if an action is malformed. Pure.
bool steers_processes(const ScopeNode& tree);

}  // namespace eventspace
