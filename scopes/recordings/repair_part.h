#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuplespace/tuple.h"

/// The part of a chunk from which damaged bytes of its body are made again. The body is cut into pieces of
/// equal length, the last one shorter. The repair part has
///
///     the stripes: the pieces 0, 2, 4 ... XOR-ed, and the pieces 1, 3, 5 ... XOR-ed; the one that does not
///     have the last piece comes first
///     the checksum of each piece, 4 bytes
///
/// A damaged piece is told by its checksum, and is the XOR of its stripe and of the stripe's other pieces. So
/// each stripe can lose one piece, and damage in one place of the body that is no longer than a piece is
/// always made good: it touches two neighbours at most. Pure; what is read may come from anywhere.
namespace eventspace::recording {

inline constexpr std::uint16_t most_pieces = 64;

/// How many pieces make the repair part of a body of so many bytes small: from 1 to most_pieces. It then
/// takes a thirtieth of a large body, and about 100 bytes of one of 300.
[[nodiscard]] std::uint16_t pieces_of(std::size_t stored) noexcept;
/// Bytes of the repair part. `pieces`: at least 1.
[[nodiscard]] std::size_t repair_bytes(std::size_t stored, std::uint16_t pieces) noexcept;

/// Appends the repair part of `stored`.
void write_repair(Bytes stored, std::uint16_t pieces, std::vector<std::byte>& to);
/// Makes damaged pieces of `stored` again. Returns false if too many are damaged, or `repair` is not as long
/// as repair_bytes(); `stored` then is as damaged as before. The caller checks the whole afterwards, as
/// `repair` may be damaged, too.
[[nodiscard]] bool mend(std::span<std::byte> stored, Bytes repair, std::uint16_t pieces);

}  // namespace eventspace::recording
