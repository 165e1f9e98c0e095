#pragma once

// Private to scopes/.
// A View inside a message body.

#include <memory>
#include <span>

#include "paths/views/view.h"
#include "paths/wire/msgpack_body.h"

namespace eventspace::msgpack_body {

/// Trace tuples in this machine's byte order, from several places, as one block of the message in `order`.
void pack_records(Packer& packer, std::span<const Bytes> pieces, ByteOrder order);
[[nodiscard]] std::size_t bytes_in(std::span<const Bytes> pieces) noexcept;
/// Where the records of a block lie: in the body, or in memory of their own if they were in the other byte
/// order. `message`: the memory of the body. Throws BodyError.
RecordBlock read_records(Entries& entries, const std::shared_ptr<const void>& message);
/// The records of a view that are still there, in order.
std::vector<Bytes> pieces_of(const View& view);

void pack(Packer& packer, const View& view);
/// How much pack will write, about.
[[nodiscard]] std::size_t expected_bytes(const View& view) noexcept;
/// The records stay in a block, see read_records. Throws BodyError.
View read_view(Entries& entries, const std::shared_ptr<const void>& message);

/// Flat, so that many cost little.
void pack(Packer& packer, const std::vector<ReadPosition>& positions);
std::vector<ReadPosition> read_positions(Entries entries);

}  // namespace eventspace::msgpack_body
