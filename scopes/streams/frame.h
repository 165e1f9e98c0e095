#pragma once

// The protocol between the processes of a network: messages of one or more frames. Each frame has a head of
// 40 bytes, little-endian, then the text of a set of ranks and a body, both padded to multiples of 8:
//
//     byte  0  u8  kind              16  u32 bytes of the ranks
//           1  u8  made by filter    20  u32 bytes of the body
//           2  u16 marks             24  u64 number
//           4  u32 stream            32  u64 bytes
//           8  i32 tag               40  the ranks, the body
//          12  u32 generation
//
// Marks are 1: instead of a packet, a lost wave, and 2: the end of a generation (Packet::lost, ends).
//
// The head has a fixed form instead of a layout (paths/wire/fields.h), because it is read and written for
// each packet: bodies stay aligned, so receivers read them in place, and frames are appended to a message
// without their number. A layout took 1.08 times as long to read a packet with one number.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/packet.h>
#include <eventspace/streams.h>

namespace eventspace::streams {

enum class FrameKind : std::uint8_t {
  data = 1,  ///< a packet; number: its wave
  open,      ///< down: a stream; number: its next wave, body: its options, ranks: its members
  close,     ///< down: the end of a stream
  credit,    ///< number, bytes: total amount of the stream that the sender of this frame accepts
  fault,     ///< up: a stream has lost a wave; number: the wave, body: the reason
  joined,    ///< up: end-points
  left,      ///< up: end-points; body: the reason
  welcome,   ///< down, the first frame: the child's ranks
  dropped,   ///< up: number: total of packets dropped below
  members,   ///< down: the members of a stream have changed; ranks: the members
  lineage,   ///< down: body: texts, the endpoints of the parent's parent and of the processes above it,
             ///< nearest first; number: Adoption
  known,     ///< down: after a child has attached again: all its streams were sent, it closes others
  over,      ///< down: the network has ended for the child; body: the reason
  refused,   ///< up: the child takes no part in a stream; number: its next wave, body: the reason
  siblings,  ///< down: body: texts, the endpoints of the other internal children of the sender or, if number
             ///< is of_the_parent, of the sender's parent
  orphans,   ///< down: ranks: end-points that have lost another child of the sender; they may attach here
  change,    ///< down: new filters of a stream, with the generation; body: its options. Waves are held
  agreed,    ///< up: the answer; number: the first wave that was not processed, body: the reason if it cannot
  begin,     ///< down: the new filters are used; number: from this wave on, body: u64, from this packet on
  keep       ///< down: the new filters are dropped
};

inline constexpr std::uint64_t of_the_parent = 1;      ///< number of FrameKind::siblings
inline constexpr std::size_t max_levels = 64;          ///< of a network
inline constexpr std::size_t longest_endpoint = 4096;  ///< bytes

struct Frame {
  FrameKind kind{FrameKind::data};
  std::uint32_t stream{0};
  std::uint64_t number{0};
  std::uint64_t bytes{0};  ///< for credit; otherwise 0
  Packet packet{};         ///< tag, ranks, generation, body; for data also the wave and marks
};

void append(std::vector<std::byte>& message, const Frame& frame);
/// Appends a frame of kind data.
void append_packet(std::vector<std::byte>& message, std::uint32_t stream, const Packet& packet);
/// An upper bound of the size of a packet as a frame.
[[nodiscard]] std::size_t frame_bytes(const Packet& packet) noexcept;

/// The body of a packet as a text for display: without characters that a terminal would interpret, and
/// limited in length.
[[nodiscard]] std::string text_of(const Packet& packet);

/// Endpoints as the body of a frame. Endpoints beyond the limits are left out.
[[nodiscard]] Packet encode_endpoints(const std::vector<std::string>& endpoints);
/// Throws PacketError.
[[nodiscard]] std::vector<std::string> decode_endpoints(const Packet& packet);

/// Parses all frames of a message. Copies the message once; the frames' packets share the copy. Returns
/// nullopt if it is damaged.
[[nodiscard]] std::optional<std::vector<Frame>> read_frames(Bytes message);

/// The options of a stream as the body of a frame (stream_options_layout.h), without members.
[[nodiscard]] Packet encode(const StreamOptions& options);
/// Throws PacketError.
[[nodiscard]] StreamOptions decode_options(const Packet& packet);

}  // namespace eventspace::streams
