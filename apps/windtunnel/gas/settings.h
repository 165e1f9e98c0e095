// The settings that must be the same in all processes of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/windtunnel/gas/config.h"

namespace eventspace::windtunnel {

struct Settings {
  TunnelConfig tunnel;
  std::uint64_t steps = 1000;
  std::uint64_t frame_every = 0;    // steps between pictures; 0 disables pictures
  std::uint64_t reduce_every = 0;   // steps between checks of the balance (balance.h); 0 disables them
  std::uint64_t barrier_every = 0;  // steps between barriers of all workers; 0 disables them

  // Whether a picture is made after so many steps; the last step always has one.
  bool is_frame_due(std::uint64_t steps_done) const;

  // Whether the tunnel after so many steps contributes to the next picture, which is a mean over some of the
  // steps before it, because a lattice gas is noisy.
  bool is_sample_due(std::uint64_t steps_done) const;

  // Whether the balance is checked, and whether all workers meet at a barrier, after so many steps.
  bool is_balance_due(std::uint64_t steps_done) const;
  bool is_barrier_due(std::uint64_t steps_done) const;

  // Returns the width of a picture's cells in sites; there are about 240 cells side by side.
  std::size_t cell() const;
};

// Compares the fields that can be set on the command line.
bool operator==(const Settings& a, const Settings& b);

// Returns the settings as command-line options.
std::string to_string(const Settings& settings);

std::string to_string(Obstacle obstacle);

}  // namespace eventspace::windtunnel
