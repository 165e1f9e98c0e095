#pragma once

// Not installed; for paths/ and scopes/: a View inside a message body.

#include "paths/msgpack_body.h"
#include "tuplespace/view.h"

namespace eventspace::msgpack_body {

void pack(Packer& packer, const View& view);
/// How much pack will write, about.
[[nodiscard]] std::size_t expected_bytes(const View& view) noexcept;
/// Throws BodyError.
View read_view(Entries entries);

/// Flat, so that many cost little.
void pack(Packer& packer, const std::vector<ReadPosition>& positions);
std::vector<ReadPosition> read_positions(Entries entries);

}  // namespace eventspace::msgpack_body
