#pragma once

// Private to pathmaps/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// How a process asks the server of another one for the end of a path: the kind of target, and its spec.

inline constexpr const char* path_target = "path";

/// The spec for path `path` of the plan with this fingerprint.
std::vector<std::byte> path_spec(PathIndex path, std::uint64_t fingerprint);

/// The path that a spec from another process asks for. Throws ConfigurationError when the other process has
/// another plan, or the plan has no such path.
PathIndex path_of_spec(Bytes spec, const Plan& plan);

}  // namespace eventspace
