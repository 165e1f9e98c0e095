#pragma once

// Private to scopes/.
// Encodes and decodes a View inside a message body.

#include <memory>
#include <span>

#include "paths/views/view.h"
#include "paths/wire/msgpack_body.h"

namespace eventspace::msgpack_body {

/// Packs the trace tuples of several pieces, which are in this machine's byte order, as one block in `order`.
void pack_records(Packer& packer, std::span<const Bytes> pieces, ByteOrder order);
[[nodiscard]] std::size_t bytes_in(std::span<const Bytes> pieces) noexcept;
/// Reads a block. The records stay in the body, whose memory `message` owns, or are copied if they are in the
/// other byte order. Throws BodyError.
RecordBlock read_records(Entries& entries, const std::shared_ptr<const void>& message);

void pack(Packer& packer, const View& view);
/// Estimates how many bytes pack will write.
[[nodiscard]] std::size_t expected_bytes(const View& view) noexcept;
/// The records stay in a block of the view, see read_records. Throws BodyError.
View read_view(Entries& entries, const std::shared_ptr<const void>& message);

void pack_loss(Packer& packer, const Loss& loss);
/// Throws BodyError.
Loss read_loss(Entries entries);

/// Packs positions as one flat array, which is fast for large numbers of positions.
void pack(Packer& packer, const std::vector<ReadPosition>& positions);
std::vector<ReadPosition> read_positions(Entries entries);

}  // namespace eventspace::msgpack_body
