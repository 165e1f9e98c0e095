#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>

namespace eventspace {

/// Raises the limit on descriptors of this process to the maximum (`ulimit -Hn`); shells start with fewer.
/// Returns the new limit.
std::uint64_t raise_descriptor_limit();

/// The warning to print when a server may have `descriptors`, and these are too few for `limits:
/// connections`; empty when they suffice. Pure.
std::string warn_of_few_descriptors(std::uint64_t descriptors, std::uint64_t connections);

/// Does both for a server with so many connections: raises the limit, and prints the warning, if there is
/// one, to standard error.
void allow_connections(std::uint64_t connections);

}  // namespace eventspace
