#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>

namespace eventspace {

/// The warning to print when a server may have `descriptors`, and these are too few for `limits:
/// connections`; empty when they suffice. Pure.
std::string warn_of_few_descriptors(std::uint64_t descriptors, std::uint64_t connections);

/// For a server with so many connections: lets this process have as many descriptors as it may
/// (raise_descriptor_limit()), and prints the warning, if there is one, to standard error.
void allow_connections(std::uint64_t connections);

}  // namespace eventspace
