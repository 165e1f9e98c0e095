#include "scopes/streams/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "paths/wire/little_endian.h"
#include "scopes/streams/packets/format.h"
#include "scopes/streams/packets/padding.h"
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

// A parameter as a text that begins with the index of its type in ParameterValue.
std::string encode(const ParameterValue& value) {
  std::string text = fmt::format("{}", value.index());
  if (const auto* const texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& one : *texts) text += '\n' + one;
  } else if (const auto* const real = std::get_if<double>(&value)) {
    text += fmt::format("{:a}", *real);
  } else if (const auto* const duration = std::get_if<std::chrono::nanoseconds>(&value)) {
    text += fmt::format("{}", duration->count());
  } else {
    text += eventspace::to_string(value);
  }
  return text;
}

// Each line begins with a line break.
std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    text.remove_prefix(1);
    lines.emplace_back(text.substr(0, text.find('\n')));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

std::optional<ParameterValue> decode(std::string_view text) {
  const std::string value(text.substr(std::min<std::size_t>(1, text.size())));
  try {
    switch (text.empty() ? ' ' : text.front()) {
      case '0':
        return value == "true";
      case '1':
        return std::int64_t{std::stoll(value)};
      case '2':
        return std::stod(value);
      case '3':
        return value;
      case '4':
        return std::chrono::nanoseconds(std::stoll(value));
      case '5':
        return split_lines(value);
      default:
        return std::nullopt;
    }
  } catch (const std::exception&) {  // from stoll and stod
    return std::nullopt;
  }
}

constexpr std::size_t texts_of_a_use = 5;  // number of texts before the parameters

// Encodes each filter as its name, library, limit and processes, the number of its parameters, and their
// names and values.
std::vector<std::string> encode(const std::vector<FilterUse>& uses) {
  std::vector<std::string> texts;
  for (const FilterUse& use : uses) {
    texts.push_back(use.name);
    texts.push_back(use.library.string());
    texts.push_back(std::to_string(use.limit.count()));
    texts.push_back(use.processes.to_text());
    texts.push_back(std::to_string(use.parameters.size()));
    for (const auto& [name, value] : use.parameters) {
      texts.push_back(name);
      texts.push_back(encode(value));
    }
  }
  return texts;
}

/// Parses a number, from 0; returns -1 for other texts.
std::int64_t decode_number(std::string_view text) {
  const auto number = decode('1' + std::string(text));
  return number ? std::max<std::int64_t>(-1, std::get<std::int64_t>(*number)) : -1;
}

FilterUse decode_use(std::span<const std::string_view> texts) {
  FilterUse use{.name = std::string(texts[0])};
  const std::int64_t limit = decode_number(texts[2]);
  const auto processes = RankSet::parse(texts[3]);
  if (texts[1].size() > FilterUse::longest_library || limit < 0 ||
      std::chrono::nanoseconds(limit) > FilterUse::max_limit || !processes)
    throw PacketError("the filters of a stream cannot be read");
  use.library = texts[1];
  use.limit = std::chrono::nanoseconds(limit);
  use.processes = *processes;
  return use;
}

std::vector<FilterUse> decode_uses(const std::vector<std::string_view>& texts) {
  std::vector<FilterUse> uses;
  for (std::size_t at = 0; at < texts.size();) {
    if (at + texts_of_a_use > texts.size() || uses.size() >= StreamOptions::max_filters)
      throw PacketError("the filters of a stream cannot be read");
    FilterUse& use = uses.emplace_back(decode_use(std::span(texts).subspan(at, texts_of_a_use)));
    const std::int64_t left = decode_number(texts[at + texts_of_a_use - 1]);
    at += texts_of_a_use;
    if (left < 0 || static_cast<std::uint64_t>(left) > (texts.size() - at) / 2)
      throw PacketError("the parameters of a filter cannot be read");
    for (std::int64_t i = 0; i < left; ++i, at += 2) {
      const auto value = decode(texts[at + 1]);
      if (!value)
        throw PacketError(fmt::format("parameter '{}' of filter '{}' cannot be read", texts[at], use.name));
      use.parameters.insert_or_assign(std::string(texts[at]), *value);
    }
  }
  return uses;
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

using Options =
    Format<std::uint8_t, std::int64_t, std::uint8_t, std::uint32_t, std::uint64_t,
           std::vector<std::string_view>, std::vector<std::string_view>, std::vector<std::string_view>>;

using Endpoints = Format<std::vector<std::string_view>>;

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
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
  std::vector<std::string_view> texts;
  for (const std::string& endpoint : endpoints) {
    if (texts.size() < max_levels && endpoint.size() <= longest_endpoint) texts.emplace_back(endpoint);
  }
  return Endpoints::make(0, texts);
}

std::vector<std::string> decode_endpoints(const Packet& packet) {
  const Endpoints::Read read(packet);
  const auto [texts] = read.values();
  if (texts.size() > max_levels) throw PacketError("a network with too many levels");
  std::vector<std::string> endpoints;
  for (const std::string_view text : texts) {
    if (text.size() > longest_endpoint) throw PacketError("an endpoint is too long");
    endpoints.emplace_back(text);
  }
  return endpoints;
}

Packet encode(const StreamOptions& options) {
  const auto up = encode(options.up);
  const auto down = encode(options.down);
  const auto rule = options.synchronise == Synchronise::rule ? encode(std::vector<FilterUse>{options.rule})
                                                             : std::vector<std::string>();
  return Options::make(0, static_cast<std::uint8_t>(options.synchronise), options.time_out.count(),
                       static_cast<std::uint8_t>(options.when_full), options.window, options.window_bytes,
                       views_of(up), views_of(down), views_of(rule));
}

StreamOptions decode_options(const Packet& packet) {
  const Options::Read read(packet);
  const auto [synchronise, time_out, when_full, window, window_bytes, up, down, rule] = read.values();
  if (synchronise > static_cast<std::uint8_t>(Synchronise::rule) || time_out < 0 ||
      when_full > static_cast<std::uint8_t>(WhenFull::disconnect) || window == 0 ||
      window > StreamOptions::max_window || window_bytes == 0 ||
      window_bytes > StreamOptions::max_window_bytes) {
    throw PacketError("the options of a stream are out of range");
  }
  StreamOptions options;
  options.synchronise = static_cast<Synchronise>(synchronise);
  options.time_out = std::chrono::nanoseconds(time_out);
  options.when_full = static_cast<WhenFull>(when_full);
  options.window = window;
  options.window_bytes = window_bytes;
  options.up = decode_uses(up);
  options.down = decode_uses(down);
  if (options.synchronise != Synchronise::rule) return options;
  const std::vector<FilterUse> rules = decode_uses(rule);
  if (rules.size() != 1) throw PacketError("the rule of a stream cannot be read");
  options.rule = rules.front();
  return options;
}

}  // namespace eventspace::streams
