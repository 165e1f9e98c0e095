#pragma once

#include <cstdint>
#include <string>

namespace eventspace {

/// The warning to print when a server may have `descriptors`, and these are too few for `limits:
/// connections`; empty when they suffice. Pure.
std::string warn_of_few_descriptors(std::uint64_t descriptors, std::uint64_t connections);

/// For a server with so many connections: raises the limit of descriptors of this process
/// (raise_descriptor_limit()), and prints the warning, if any, to standard error.
void allow_connections(std::uint64_t connections);

}  // namespace eventspace
