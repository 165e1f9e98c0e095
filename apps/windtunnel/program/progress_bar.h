// How far the workers of this process are, on standard error while it exists: a bar that is redrawn on a
// terminal, a plain line every few seconds elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "apps/windtunnel/program/team.h"

namespace eventspace::windtunnel {

class ProgressBar {
 public:
  // The team must outlive it. 'steps' are those of the whole run.
  ProgressBar(const Team& team, std::uint64_t steps);

 private:
  std::jthread thread_;  // stopped and joined by its own destructor
};

// "[#####.....] 50 of 100 steps", with 'width' characters in brackets.
std::string draw_bar(std::uint64_t done, std::uint64_t steps, std::size_t width);

}  // namespace eventspace::windtunnel
