// Shows the progress of this process's workers on standard error during its lifetime: as a bar that is
// redrawn on a terminal, otherwise as lines: the first after 2 s, each after twice the time of the previous
// one, finally one per minute.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "apps/windtunnel/program/team.h"

namespace eventspace::windtunnel {

class ProgressBar {
 public:
  // The team must outlive this object. 'steps' is the number of steps of the whole run.
  ProgressBar(const Team& team, std::uint64_t steps);

 private:
  std::jthread thread_;  // stopped and joined by its own destructor
};

// Returns "[#####.....] 50 of 100 steps", with 'width' characters in brackets.
std::string draw_bar(std::uint64_t done, std::uint64_t steps, std::size_t width);

}  // namespace eventspace::windtunnel
