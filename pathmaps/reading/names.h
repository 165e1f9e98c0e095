#pragma once

// Private to pathmaps/.

#include <cstddef>
#include <string_view>
#include <vector>

#include "pathmaps/reading/faults.h"

namespace eventspace::reading {

/// Longest names, so that "THREAD/PATH@element" fits a segment's directory (tuplespace/trace/segment.h).
inline constexpr std::size_t longest_name = 32;       ///< of nodes, clusters, processes, threads, scopes
inline constexpr std::size_t longest_path_name = 54;  ///< of paths
inline constexpr std::size_t longest_element_name = 128;

/// The kinds of names: one word of letters, digits, '_', '-' and '.', or several of them with '/' between.
enum class NameKind { simple, path, element };

/// False, with a fault, for a name that is none of `kind`.
bool check_name(const Word& name, NameKind kind, Faults& faults);

/// "t[0-3]" is t0, t1, t2 and t3; several ranges give every combination. At most `most` names; a fault, and
/// no names, when it is malformed or gives more.
std::vector<std::string> expand_names(const Word& pattern, std::size_t most, Faults& faults);

}  // namespace eventspace::reading
