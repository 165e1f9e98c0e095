#pragma once

// Private to pathmaps/.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/bodies/element_states.h"

namespace eventspace {

/// What the host of elements answered about them.
struct ElementAnswer {
  std::string host;                  ///< "node n1", "process p0", "session solver"
  std::vector<ElementState> states;  ///< in the order of the host
  std::string refusal;               ///< why there are none; empty if it answered
};

/// Asks the hosts of a session's elements about their states: the servers of nodes, of processes whose
/// elements others use, and of a session without a pathmap. A node's server also tells the shared elements of
/// its node. Processes are asked through the server of their node, and nodes behind a gateway through that,
/// as by other monitors.
///
/// Connects when first asked, and connects again when a connection was lost. Not thread-safe.
class ElementAsker {
 public:
  /// Throws as the constructor of Consumer does.
  ElementAsker(std::shared_ptr<const Plan> plan, const std::string& session);
  ~ElementAsker();
  ElementAsker(const ElementAsker&) = delete;
  ElementAsker& operator=(const ElementAsker&) = delete;

  /// Asks the hosts of all elements, or of `elements` only, at once. Blocks for `timeout` at the longest.
  [[nodiscard]] std::vector<ElementAnswer> ask(std::chrono::nanoseconds timeout);
  /// The same, but waits for hosts that did not answer the previous question no longer than `for_silent`.
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

/// Whether the state of the element can be asked for: it is hosted by a server, or shared. An element that
/// only threads of its own process use is in a process without a server.
bool can_be_asked(const Plan& plan, ElementIndex element);

}  // namespace eventspace
