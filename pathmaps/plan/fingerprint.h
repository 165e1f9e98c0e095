#pragma once

#include <cstdint>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Returns a text that determines the meaning of all numbers in the plan, one line for each entry: the names
/// and places of nodes, processes, threads, elements (with their types, and whether they are shared), paths,
/// trace elements and joints, and the kinds of collectives. Hosts, ports, limits, thresholds, rooms,
/// wrappers, scopes and `collect: enabled` are left out: they may differ between an application and its
/// monitors.
std::string canonical_text(const Plan& plan);

/// Like canonical_text, for the scopes' own paths, whose numbers follow all others. Only servers and monitors
/// must agree on these. A user can therefore change scopes without restarting the application.
std::string canonical_text_of_scopes(const Plan& plan);

/// Returns the 64-bit FNV-1a hash of canonical_text, which is the same on every machine.
std::uint64_t fingerprint_of(const Plan& plan);

/// Returns the hash of both texts. Equal to fingerprint_of if the plan has no paths of scopes.
std::uint64_t scopes_fingerprint_of(const Plan& plan);

}  // namespace eventspace
