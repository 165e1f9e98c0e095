#pragma once

#include <optional>
#include <string>

#include "monitors/whatif/simulation/simulate.h"

namespace eventspace::whatif {

/// Like simulate(), for a switched network: runs the program eventspace-simgrid, which is built if SimGrid is
/// present. Blocks until it has ended. Throws EnvironmentError if the program is missing or does not answer;
/// ConfigurationError if SimGrid refuses the platform, if it has too few hosts, and for the same reasons as
/// simulate(). `simulator` receives the name of SimGrid with its version.
std::optional<Outcome> simulate_switched(const Program& program, const Network& network,
                                         const SimulationSettings& settings, std::string& simulator);

}  // namespace eventspace::whatif
