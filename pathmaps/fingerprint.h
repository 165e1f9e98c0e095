#pragma once

#include <cstdint>
#include <string>

#include "pathmaps/plan.h"

namespace eventspace {

/// What gives the numbers of a plan their meaning, one line for each part: the names and places of nodes,
/// processes, threads, elements (with their types, and whether they are shared), paths, trace elements and
/// joints, with what the collectives do, in order. Hosts, ports, limits, thresholds, rooms, wrappers, scopes
/// and whether collecting is on are not in it: they may differ between an application and a monitor that
/// reads it.
std::string canonical_text(const Plan& plan);

/// FNV-1a, 64 bits, of canonical_text: the same on every machine.
std::uint64_t fingerprint_of(const Plan& plan);

}  // namespace eventspace
