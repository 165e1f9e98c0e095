#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/bodies/element_states.h"

namespace eventspace {

/// The answer of a host about its elements.
struct ElementAnswer {
  std::string host;                  ///< "node n1", "process p0", "session solver"
  std::vector<ElementState> states;  ///< in the order of the host
  std::string refusal;               ///< why there are none; empty if it answered
};

/// Requests the states of a session's elements from their hosts: the servers of nodes, of processes whose
/// elements others use, and of a session without a pathmap. A node's server also reports the shared elements
/// of its node. Processes are reached through the server of their node, and nodes behind a gateway through
/// the gateway, like by other monitors.
///
/// Connects at the first request, and reconnects after a lost connection. Not thread-safe.
class ElementAsker {
 public:
  /// Throws like the constructor of Consumer.
  ElementAsker(std::shared_ptr<const Plan> plan, const std::string& session);
  ~ElementAsker();
  ElementAsker(const ElementAsker&) = delete;
  ElementAsker& operator=(const ElementAsker&) = delete;

  /// Queries the hosts of all elements, or only of `elements`, at once. Blocks for at most `timeout`.
  [[nodiscard]] std::vector<ElementAnswer> ask(std::chrono::nanoseconds timeout);
  /// The same, but waits at most `for_silent` for hosts that did not answer the previous request.
  [[nodiscard]] std::vector<ElementAnswer> ask(std::chrono::nanoseconds timeout,
                                               std::chrono::nanoseconds for_silent);
  [[nodiscard]] std::vector<ElementAnswer> ask(const std::vector<ElementIndex>& elements,
                                               std::chrono::nanoseconds timeout);

 private:
  [[nodiscard]] std::vector<ElementAnswer> ask(const std::vector<ElementIndex>& elements,
                                               std::chrono::nanoseconds timeout,
                                               std::chrono::nanoseconds for_silent);

  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the state of the element can be queried: a server hosts it, or it is shared. An element that only
/// threads of its own process use is in a process without a server.
bool can_be_asked(const Plan& plan, ElementIndex element);

}  // namespace eventspace
