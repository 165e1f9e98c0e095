#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>

namespace eventspace {

/// Lets this process have as many descriptors as its user may have (`ulimit -Hn`), where shells give fewer at
/// first. How many that are.
std::uint64_t raise_descriptor_limit();

/// What to tell whoever starts a server that may have `descriptors`, when those are too few for
/// `limits: connections`; empty when they are not. Pure.
std::string warn_of_few_descriptors(std::uint64_t descriptors, std::uint64_t connections);

}  // namespace eventspace
