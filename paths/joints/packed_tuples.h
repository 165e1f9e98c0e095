#pragma once

// Private to paths/.

#include <cstddef>
#include <span>
#include <vector>

#include "tuplespace/tuple.h"

namespace eventspace {

/// Several tuples as one of a single field of bytes: what the root of a gather gets and that of a scatter
/// gives, one for each participant in the order of the threads. Unlike fields of a tuple there may be any
/// number of them. In the field lies, for each tuple, the size of its encoding (32 bits, little-endian) and
/// the encoding.
///
///     const auto parts = unpack_tuples(path.exchange(mine).tuple);   // at the root of a gather

/// Throws ConfigurationError for 4 GiB or more.
Tuple pack_tuples(std::span<const Tuple> tuples);

/// Throws ConfigurationError that says what is wrong when `packed` is none of the above. Never reads beyond
/// it, and allocates no more than a small multiple of its size.
std::vector<Tuple> unpack_tuples(const Tuple& packed);

}  // namespace eventspace
