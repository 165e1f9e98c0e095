#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <eventspace/tuple.h>

/// The repair part of a chunk, from which damaged bytes of its body are restored. The body is cut into pieces
/// of equal length, the last one shorter. The repair part has
///
///     the stripes: the pieces 0, 2, 4 ... XOR-ed, and the pieces 1, 3, 5 ... XOR-ed; the stripe without
///     the last piece comes first
///     the checksum of each piece, 4 bytes
///
/// A damaged piece is detected by its checksum, and is the XOR of its stripe and of the stripe's other
/// pieces. So each stripe can lose one piece. Damage in one place of the body that is no longer than a piece
/// touches at most two neighbours, so it can always be repaired. Pure; the bytes read are not trusted.
namespace eventspace::recording {

inline constexpr std::uint16_t max_pieces = 64;

/// The number of pieces that makes the repair part of a body of this size small: from 1 to max_pieces. It
/// then takes a thirtieth of a large body, and about 100 bytes for a body of 300.
[[nodiscard]] std::uint16_t pieces_of(std::size_t stored) noexcept;
/// Bytes of the repair part. `pieces`: at least 1.
[[nodiscard]] std::size_t repair_bytes(std::size_t stored, std::uint16_t pieces) noexcept;

/// Appends the repair part of `stored`.
void write_repair(Bytes stored, std::uint16_t pieces, std::vector<std::byte>& to);
/// Restores damaged pieces of `stored`. Returns false and leaves `stored` as damaged as before if too many
/// are damaged, or if `repair` is not as long as repair_bytes(). The caller checks the whole afterwards, as
/// `repair` may be damaged, too.
[[nodiscard]] bool mend(std::span<std::byte> stored, Bytes repair, std::uint16_t pieces);

}  // namespace eventspace::recording
