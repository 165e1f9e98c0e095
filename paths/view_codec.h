#pragma once

// Not installed; for paths/ and scopes/: a View inside a message body.

#include <memory>

#include "paths/msgpack_body.h"
#include "tuplespace/view.h"

namespace eventspace::msgpack_body {

void pack(Packer& packer, const View& view);
/// How much pack will write, about.
[[nodiscard]] std::size_t expected_bytes(const View& view) noexcept;
/// The records stay where they are in the body, as a block of the view whose memory is `message`; but for
/// those in the other byte order. Throws BodyError.
View read_view(Entries entries, const std::shared_ptr<const void>& message);

/// Flat, so that many cost little.
void pack(Packer& packer, const std::vector<ReadPosition>& positions);
std::vector<ReadPosition> read_positions(Entries entries);

}  // namespace eventspace::msgpack_body
