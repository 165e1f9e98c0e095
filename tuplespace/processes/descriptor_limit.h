#pragma once

#include <cstdint>

namespace eventspace {

/// Raises the descriptor limit of this process to the maximum that the system allows (the hard limit, `ulimit
/// -Hn`): most shells start programs with fewer, and programs that do not use select(2) may have more.
/// Servers need one per connection, work on processes needs one per process. Returns the limit that holds
/// now; 0 if unknown.
std::uint64_t raise_descriptor_limit();

}  // namespace eventspace
