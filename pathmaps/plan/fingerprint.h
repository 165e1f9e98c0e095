#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The meaning of a plan's numbers as text, one line for each part: the names and places of nodes, processes,
/// threads, elements (with their types, and whether they are shared), paths, trace elements and joints, with
/// the kinds of collectives, in order. Hosts, ports, limits, thresholds, rooms, wrappers, scopes and whether
/// collecting is on are not in it: they may differ between an application and a monitor that reads it.
std::string canonical_text(const Plan& plan);

/// The same for the paths of scopes, whose numbers come after all others. Only programs that run scopes must
/// agree in them, so an application goes on when a scope is changed.
std::string canonical_text_of_scopes(const Plan& plan);

/// FNV-1a, 64 bits, of canonical_text: the same on every machine.
std::uint64_t fingerprint_of(const Plan& plan);

/// The same of both texts; equal to fingerprint_of for a plan without paths of scopes.
std::uint64_t scopes_fingerprint_of(const Plan& plan);

}  // namespace eventspace
