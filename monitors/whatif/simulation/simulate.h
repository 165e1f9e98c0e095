#pragma once

// Private to monitors/.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/networks/network.h"
#include "monitors/whatif/simulation/outcome.h"

namespace eventspace::whatif {

struct SimulationSettings {
  double compute{1};   ///< factor of Action::takes of computing
  double overhead{1};  ///< the same of all other actions but idle ones
  /// Of each task, the station that it runs on; empty: a station each. Tasks of a station have a processor
  /// each.
  std::vector<std::uint32_t> stations{};
  std::uint64_t seed{1};
  bool traces{false};  ///< whether the outcome has a trace
  bool times{false};   ///< whether that has the times of all actions
  /// Asked from time to time whether to go on.
  std::function<bool()> goes_on{[] { return true; }};
};

/// Simulates the program on the network. The result depends on the arguments alone. None if `goes_on` said
/// that it is not to go on.
///
/// Throws ConfigurationError if tasks wait for each other for ever, or for what does not come: says which, in
/// which actions, and the circle if there is one; not for a program that was cut, whose tasks stop there. The
/// same if the simulated time exceeds 53 days. REQUIRES: require_consistent(program); `stations` has each
/// task, or none; the network is not switched (switched/simulate_switched.h).
std::optional<Outcome> simulate(const Program& program, const Network& network,
                                const SimulationSettings& settings = {});

}  // namespace eventspace::whatif
