#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <eventspace/tuple.h>
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Records in columns, as in a chunk of a recording before compression. Neighbouring records of one trace
/// element differ little, and most of their words can be predicted from earlier words, so a column holds
/// differences: a record of the wind tunnel takes about ten bytes, and compression halves that again.
/// docs/recording-format.md describes the layout. Any records can be written; the order is kept. Pure.
///
/// Appends the columns of `records` to `bytes`.
void write_columns(std::span<const TraceTuple> records, std::vector<std::byte>& bytes);

/// Returns the records, or nothing if `bytes`, which are not trusted, are not columns, or have more than
/// `most` records.
[[nodiscard]] std::optional<std::vector<TraceTuple>> read_columns(Bytes bytes, std::size_t most);

}  // namespace eventspace
