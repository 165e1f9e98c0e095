#include "scopes/streams/frame.h"

#include <algorithm>
#include <string>
#include <utility>

#include "paths/wire/little_endian.h"
#include "scopes/streams/packets/padding.h"
#include "scopes/streams/stream_options_layout.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

constexpr std::size_t frame_head = 40;
constexpr std::size_t expected_body = 24;  // size of most packets: a number
constexpr std::size_t max_expected = 256;  // frames in a message: a window
constexpr std::byte lost_bit{1};
constexpr std::byte ends_bit{2};

void put(std::vector<std::byte>& message, Bytes bytes) {
  message.insert(message.end(), bytes.begin(), bytes.end());
  message.resize(padded(message.size()));
}

std::optional<Frame> read_frame(Bytes& rest, const std::shared_ptr<const void>& owner) {
  if (rest.size() < frame_head) return std::nullopt;
  const std::byte* const head = rest.data();
  const auto kind = static_cast<std::uint8_t>(head[0]);
  const auto made_by = static_cast<std::uint8_t>(head[1]);
  const std::size_t ranks = little_endian::load<std::uint32_t>(head + 16);
  const std::size_t body = little_endian::load<std::uint32_t>(head + 20);
  if (kind < static_cast<std::uint8_t>(FrameKind::data) ||
      kind > static_cast<std::uint8_t>(FrameKind::keep) || body > max_packet_bytes ||
      made_by > StreamOptions::max_filters || padded(ranks) + padded(body) > rest.size() - frame_head) {
    return std::nullopt;
  }
  const auto parsed = RankSet::parse({reinterpret_cast<const char*>(head + frame_head), ranks});
  if (!parsed) return std::nullopt;
  Frame frame;
  frame.kind = static_cast<FrameKind>(kind);
  frame.stream = little_endian::load<std::uint32_t>(head + 4);
  frame.number = little_endian::load<std::uint64_t>(head + 24);
  frame.bytes = little_endian::load<std::uint64_t>(head + 32);
  frame.packet = {.tag = little_endian::load<std::int32_t>(head + 8),
                  .wave = frame.number,
                  .ranks = *parsed,
                  .made_by = made_by,
                  .lost = (head[2] & lost_bit) != std::byte{0},
                  .ends = (head[2] & ends_bit) != std::byte{0},
                  .generation = little_endian::load<std::uint32_t>(head + 12),
                  .body = rest.subspan(frame_head + padded(ranks), body),
                  .owner = owner};
  rest = rest.subspan(frame_head + padded(ranks) + padded(body));
  return frame;
}

/// The fields of a frame that is written.
struct Fields {
  FrameKind kind;
  std::uint32_t stream;
  std::uint64_t number;
  std::uint64_t bytes;
  const Packet& packet;
};

void write(std::vector<std::byte>& message, const Fields& frame) {
  const std::size_t begin = message.size();
  const std::string ranks = frame.packet.ranks.to_text();
  const std::size_t bytes = frame_head + padded(ranks.size()) + padded(frame.packet.body.size());
  if (message.capacity() == 0) message.reserve(bytes);  // it may be the only frame
  message.resize(begin + frame_head);
  std::byte* const head = message.data() + begin;
  head[0] = static_cast<std::byte>(frame.kind);
  head[1] = static_cast<std::byte>(frame.packet.made_by);
  head[2] = (frame.packet.lost ? lost_bit : std::byte{0}) | (frame.packet.ends ? ends_bit : std::byte{0});
  little_endian::store(head + 4, frame.stream);
  little_endian::store(head + 8, frame.packet.tag);
  little_endian::store(head + 12, frame.packet.generation);
  little_endian::store(head + 16, static_cast<std::uint32_t>(ranks.size()));
  little_endian::store(head + 20, static_cast<std::uint32_t>(frame.packet.body.size()));
  little_endian::store(head + 24, frame.number);
  little_endian::store(head + 32, frame.bytes);
  put(message, std::as_bytes(std::span(ranks)));
  put(message, frame.packet.body);
}

/// A packet with these bytes, for the body of a frame.
Packet packet_with(std::vector<std::byte> bytes) {
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {.body = *kept, .owner = kept};
}

}  // namespace

void append(std::vector<std::byte>& message, const Frame& frame) {
  write(message, {frame.kind, frame.stream, frame.kind == FrameKind::data ? frame.packet.wave : frame.number,
                  frame.bytes, frame.packet});
}

void append_packet(std::vector<std::byte>& message, std::uint32_t stream, const Packet& packet) {
  write(message, {FrameKind::data, stream, packet.wave, 0, packet});
}

std::size_t frame_bytes(const Packet& packet) noexcept {
  constexpr std::size_t max_of_a_range = 24;
  return frame_head + max_of_a_range * packet.ranks.ranges().size() + packet.bytes() + 2 * unit_bytes;
}

std::optional<std::vector<Frame>> read_frames(Bytes message) {
  const std::shared_ptr<std::byte[]> kept = std::make_shared_for_overwrite<std::byte[]>(message.size());
  std::ranges::copy(message, kept.get());
  std::vector<Frame> frames;
  frames.reserve(std::min(max_expected, message.size() / (frame_head + expected_body) + 1));
  for (Bytes rest(kept.get(), message.size()); !rest.empty();) {
    auto frame = read_frame(rest, kept);
    if (!frame) return std::nullopt;
    frames.push_back(std::move(*frame));
  }
  return frames;
}

std::string text_of(const Packet& packet) {
  constexpr std::size_t longest = 1000;
  const auto* const begin = reinterpret_cast<const char*>(packet.body.data());
  return escaped(std::string_view(begin, std::min(longest, packet.body.size())));
}

Packet encode_endpoints(const std::vector<std::string>& endpoints) {
  std::vector<std::string> sent;
  for (const std::string& endpoint : endpoints)
    if (sent.size() < max_levels && endpoint.size() <= longest_endpoint) sent.push_back(endpoint);
  std::vector<std::byte> bytes;
  wire::append_as<wire::Endpoints>(bytes, sent);
  return packet_with(std::move(bytes));
}

std::vector<std::string> decode_endpoints(const Packet& packet) {
  auto endpoints = wire::decoded<std::vector<std::string>, wire::Endpoints>(packet.body);
  if (!endpoints) throw PacketError("the endpoints of a network cannot be read");
  return *std::move(endpoints);
}

Packet encode(const StreamOptions& options) { return packet_with(wire::encoded(options)); }

StreamOptions decode_options(const Packet& packet) {
  auto options = wire::decoded<StreamOptions>(packet.body);
  if (!options) throw PacketError("the options of a stream cannot be read");
  return *std::move(options);
}

}  // namespace eventspace::streams
