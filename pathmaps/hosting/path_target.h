#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <eventspace/tuple.h>
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The kind of target and the spec by which a remote stage opens the end of a path at the server of another
/// process. The spec contains the plan's fingerprint, so that two processes with different plans are not
/// connected: equal path numbers would then mean different paths. It also contains the session, so that,
/// without keys, a process does not use the elements of another session with the same ports.

inline constexpr const char* path_target = "path";

/// Returns the spec for `path` of the plan with this fingerprint, for a process of `session`.
std::vector<std::byte> path_spec(PathIndex path, std::uint64_t fingerprint, std::string_view session);

/// Returns the path that a spec from another process names. Throws ConfigurationError if the spec is
/// malformed, the other process has another plan or is not of `session`, or the plan lacks the path.
PathIndex path_of_spec(Bytes spec, const Plan& plan, std::string_view session);

}  // namespace eventspace
