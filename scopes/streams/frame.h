#pragma once

// Private to scopes/.
// What the processes of a network send each other: messages of one or more frames. Each frame has a head of
// 40 bytes, little-endian, then the text of a set of ranks and a body, both filled up to multiples of 8:
//
//     byte  0  u8  kind              16  u32 bytes of the ranks
//           1  u8  1: combined       20  u32 bytes of the body
//           2  u16 zero              24  u64 number
//           4  u32 stream            32  u64 zero
//           8  i32 tag               40  the ranks, the body
//          12  u32 zero

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scopes/streams/packets/packet.h"
#include "scopes/streams/stream_options.h"

namespace eventspace::streams {

enum class FrameKind : std::uint8_t {
  data = 1,  ///< a packet; number: its wave
  open,      ///< down: a stream; number: its next wave, body: its options, ranks: its members
  close,     ///< down: the end of a stream
  credit,    ///< number: how many packets of the stream the sender of this frame accepts in all
  fault,     ///< up: a stream has lost a wave; number: the wave, body: the reason
  joined,    ///< up: end-points
  left,      ///< up: end-points; body: the reason
  welcome,   ///< down, the first frame: the child's ranks
  dropped,   ///< up: number: how many packets below were dropped in all
  members    ///< down: a stream has other members; ranks: the members
};

struct Frame {
  FrameKind kind{FrameKind::data};
  std::uint32_t stream{0};
  std::uint64_t number{0};
  Packet packet{};  ///< tag, ranks, body; for data also the wave
};

void append(std::vector<std::byte>& message, const Frame& frame);
/// The size of a packet as a frame, at most.
[[nodiscard]] std::size_t frame_bytes(const Packet& packet) noexcept;

/// Reads all frames of a message. Copies the message once; the frames' packets share the copy. Without a
/// value if it is damaged.
[[nodiscard]] std::optional<std::vector<Frame>> read_frames(Bytes message);

/// The options of a stream as the body of a frame, without members.
[[nodiscard]] Packet encode(const StreamOptions& options);
/// Throws PacketError, or ConfigurationError for filters that this process does not know.
[[nodiscard]] StreamOptions decode_options(const Packet& packet);

}  // namespace eventspace::streams
