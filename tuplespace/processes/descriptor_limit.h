#pragma once

// Private to tuplespace/.

#include <cstdint>

namespace eventspace {

/// Lets this process have as many descriptors as the system allows it (the hard limit, `ulimit -Hn`): most
/// shells start programs with fewer, and programs that do not use select(2) may have more. Servers need one
/// for each connection, work on processes one for each of them. Returns the limit that holds now; 0 if it
/// is not known.
std::uint64_t raise_descriptor_limit();

}  // namespace eventspace
