#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/actions/consistency.h"
#include "monitors/whatif/simulation/simulate.h"

namespace eventspace::whatif::story {

/// A program from the lines of its tasks.
inline Program program(std::size_t tasks, const std::string& lines) {
  std::istringstream in("eventspace-actions 1\ntasks " + std::to_string(tasks) + "\n" + lines);
  return read_actions(in, "f.actions");
}

inline Outcome outcome(const Program& program, const Network& network,
                       const SimulationSettings& settings = {}) {
  require_consistent(program);
  auto made = simulate(program, network, settings);
  EXPECT_TRUE(made.has_value());
  return made.value_or(Outcome{});
}

constexpr Picoseconds us = 1'000'000;

inline Network loggp(const LogGpNetwork& kind) { return {.name = "test", .kind = kind}; }
inline Network ethernet(const EthernetNetwork& kind = {}) { return {.name = "test", .kind = kind}; }

}  // namespace eventspace::whatif::story
