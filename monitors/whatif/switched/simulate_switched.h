#pragma once

// Private to monitors/.

#include <optional>
#include <string>

#include "monitors/whatif/simulation/simulate.h"

namespace eventspace::whatif {

/// As simulate(), for a switched network: in SimGrid, by the program eventspace-simgrid, which belongs to
/// EventSpace where SimGrid was there when it was built. Blocks until it has ended. Throws EnvironmentError
/// if it is not there, or does not answer; ConfigurationError if SimGrid refuses the platform, if its hosts
/// are too few, and as simulate() does. `simulator`: gets the name of SimGrid with its version.
std::optional<Outcome> simulate_switched(const Program& program, const Network& network,
                                         const SimulationSettings& settings, std::string& simulator);

}  // namespace eventspace::whatif
