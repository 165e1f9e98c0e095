// What all processes of a run must have been started with alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/windtunnel/gas/config.h"

namespace eventspace::windtunnel {

struct Settings {
  TunnelConfig tunnel;
  std::uint64_t steps = 1000;
  std::uint64_t frame_every = 0;    // steps from one picture to the next; 0: no pictures
  std::uint64_t reduce_every = 0;   // steps from one check of the balance to the next (balance.h); 0: none
  std::uint64_t barrier_every = 0;  // steps after which all workers wait for each other; 0: never

  // Whether there is a picture of the tunnel after so many steps; the last step has one.
  bool is_frame_due(std::uint64_t steps_done) const;

  // Whether the tunnel after so many steps is part of the next picture, which is a mean over some of the
  // steps before it, since a lattice gas is noisy.
  bool is_sample_due(std::uint64_t steps_done) const;

  // Whether the balance is checked after so many steps, and whether all wait for each other.
  bool is_balance_due(std::uint64_t steps_done) const;
  bool is_barrier_due(std::uint64_t steps_done) const;

  // The width of the cells that pictures are made of, in sites: about 240 cells side by side.
  std::size_t cell() const;
};

// Compares what can be set on the command line.
bool operator==(const Settings& a, const Settings& b);

// As options of the command line.
std::string to_string(const Settings& settings);

std::string to_string(Obstacle obstacle);

}  // namespace eventspace::windtunnel
