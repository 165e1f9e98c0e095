#pragma once

// Private to scopes/.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tuplespace/trace/trace_element.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// Records in columns, as they stand in a chunk of a recording before it is compressed. Neighbouring records
/// of one trace element differ little, and most of their words follow from the words before, so a column
/// holds differences: a record of the wind tunnel takes about ten bytes, and compression halves that again.
/// docs/recording-format.md describes the layout. Any records can be written; the order stays. Pure.
///
/// Appends the columns of `records` to `bytes`.
void write_columns(std::span<const TraceTuple> records, std::vector<std::byte>& bytes);

/// Returns the records; none if `bytes`, which may come from anywhere, are no columns, or are those of more
/// than `most` records.
[[nodiscard]] std::optional<std::vector<TraceTuple>> read_columns(Bytes bytes, std::size_t most);

}  // namespace eventspace
