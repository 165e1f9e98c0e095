#pragma once

#include <cstddef>
#include <vector>

#include "pathmaps/reading/faults.h"

namespace eventspace::reading {

/// Limits on the lengths of names. "THREAD/PATH@element", the name of a trace element, then fits into an
/// entry of a segment's directory (tuplespace/trace/segment.h).
inline constexpr std::size_t longest_name = 32;       ///< of nodes, clusters, processes, threads, scopes
inline constexpr std::size_t longest_path_name = 54;  ///< of paths
inline constexpr std::size_t longest_element_name = 128;

/// The kinds of names. A simple name is a word of letters, digits, '_', '-' and '.'; names of paths and
/// elements consist of one or more such words, separated by '/'.
enum class NameKind { simple, path, element };

/// Returns true if `name` is a valid name of this kind; otherwise reports a fault.
bool check_name(const Word& name, NameKind kind, Faults& faults);

/// Expands ranges in a pattern: "t[0-3]" gives t0, t1, t2 and t3; several ranges give all combinations.
/// Reports a fault and returns no names if the pattern is malformed or gives more than `most` names.
std::vector<std::string> expand_names(const Word& pattern, std::size_t most, Faults& faults);

}  // namespace eventspace::reading
