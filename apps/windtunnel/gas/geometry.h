// The solid sites of the tunnel: its top and bottom row, and the obstacle. Distances are on the hexagonal
// lattice, computed in whole numbers, so that every node draws the same obstacle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/windtunnel/gas/config.h"

namespace eventspace::windtunnel {

bool is_solid(const TunnelConfig& config, std::size_t row, std::size_t column);

// Sets bit c of the row, counted from the lowest bit of its first word, where column c is solid.
// Requires that the row has config.words() words.
void draw_solid(const TunnelConfig& config, std::size_t row, std::span<std::uint64_t> words);

}  // namespace eventspace::windtunnel
