#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <eventspace/tuple.h>

namespace eventspace {

/// Packing of several tuples into one tuple with a single field of bytes. The root of a gather receives such
/// a tuple, and the root of a scatter contributes one; it holds a tuple for each participant, in the order of
/// the threads. The number of tuples is not limited to Signature::max_fields. For each tuple the field holds
/// the size of its encoding in bytes (32 bits, little-endian) and the encoding.
///
///     const auto parts = unpack_tuples(path.exchange(mine).tuple);   // at the root of a gather

/// Throws ConfigurationError if the encoding of a tuple has 4 GiB or more.
Tuple pack_tuples(std::span<const Tuple> tuples);

/// Throws ConfigurationError if `packed` is malformed. Never reads beyond its end, and allocates no more than
/// a small multiple of its size.
std::vector<Tuple> unpack_tuples(const Tuple& packed);

}  // namespace eventspace
