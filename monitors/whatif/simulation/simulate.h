#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/outcome.h"

namespace eventspace::whatif {

struct SimulationSettings {
  double compute{1};   ///< factor of Action::takes for computing
  double overhead{1};  ///< the same for all other actions except idle
  /// Stations by task; empty means one station per task. Each task has its own processor.
  std::vector<std::uint32_t> stations{};
  std::uint64_t seed{1};
  bool traces{false};  ///< whether the outcome has a trace
  bool times{false};   ///< whether the trace has the times of all actions
  /// Polled now and then: whether to continue.
  std::function<bool()> goes_on{[] { return true; }};
};

/// Simulates the program on the network. The result depends on the arguments alone. Nullopt if `goes_on`
/// returned false.
///
/// Throws ConfigurationError if tasks wait for each other, or for messages that never come; the error names
/// the tasks, their actions, and the cycle if there is one. Tasks of a program that was cut stop instead.
/// Also throws if the simulated time exceeds 53 days. REQUIRES: require_consistent(program); `stations` is
/// empty or has each task; the network is not switched (switched/simulate_switched.h).
std::optional<Outcome> simulate(const Program& program, const Network& network,
                                const SimulationSettings& settings = {});

}  // namespace eventspace::whatif
