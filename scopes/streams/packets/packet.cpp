#include <eventspace/packet.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "scopes/streams/packets/padding.h"

namespace eventspace::streams {
namespace {

constexpr std::size_t packet_head = 8;
constexpr std::byte packet_version{1};
constexpr std::byte little{1};
constexpr std::byte big{2};
constexpr std::byte native = std::endian::native == std::endian::little ? little : big;

std::uint64_t load(const std::byte* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Walks over the values of a packet's body, checks each length, and converts foreign byte order in place if
/// `change` is set.
class Walk {
 public:
  Walk(Bytes body, std::byte* change) : body_(body), change_(change) {}

  /// Returns the offset of the value and moves behind it.
  std::size_t pass(ValueType type) {
    const std::size_t begin = at_;
    if (value_type::is_number(type)) {
      if (left() < unit_bytes) damaged();
      swap(at_, value_type::width(type), 1);
      at_ += unit_bytes;
    } else if (type == ValueType::text) {
      skip(count());
    } else if (type == ValueType::texts) {
      for (std::uint64_t left = count(); left > 0; --left) skip(count());
    } else {
      pass_array(value_type::width(type));
    }
    return begin;
  }
  void start_at(std::size_t at) { at_ = at; }
  [[nodiscard]] bool is_at_end() const noexcept { return at_ == body_.size(); }
  void swap(std::size_t at, std::size_t width, std::size_t count) {
    if (change_ == nullptr || width == 1) return;
    for (std::size_t i = 0; i < count; ++i)
      std::reverse(change_ + at + i * width, change_ + at + (i + 1) * width);
  }

 private:
  void pass_array(std::size_t width) {
    const std::uint64_t elements = count();
    if (elements > left() / width) damaged();
    swap(at_, width, elements);
    skip(elements * width);
  }
  std::uint64_t count() {
    if (left() < unit_bytes) damaged();
    swap(at_, unit_bytes, 1);
    const std::uint64_t value = load(body_.data() + at_);
    at_ += unit_bytes;
    return value;
  }
  void skip(std::uint64_t bytes) {
    // The first test keeps padded() from overflowing.
    if (bytes > left() || padded(bytes) > left()) damaged();
    at_ += padded(bytes);
  }
  [[nodiscard]] std::size_t left() const noexcept { return body_.size() - at_; }
  [[noreturn]] void damaged() const {
    throw PacketError(fmt::format("a packet of {} bytes is damaged: a value at byte {} does not fit into it",
                                  body_.size(), at_));
  }

  Bytes body_;
  std::byte* change_;
  std::size_t at_{0};
};

}  // namespace

// --- writing ------------------------------------------------------------------------------------------

PacketWriter::PacketWriter(std::span<const ValueType> signature, std::size_t reserve)
    : values_(signature.size()) {
  if (signature.size() > max_values) {
    throw PacketError(
        fmt::format("a packet has at most {} values, not {}: use arrays", max_values, signature.size()));
  }
  const std::size_t begin = packet_head + padded(signature.size());
  bytes_.reserve(begin + std::min(reserve, max_packet_bytes));
  bytes_.resize(begin);
  bytes_[0] = packet_version;
  bytes_[1] = native;
  const auto count = static_cast<std::uint16_t>(signature.size());
  std::memcpy(&bytes_[2], &count, sizeof count);
  std::ranges::transform(signature, bytes_.begin() + packet_head,
                         [](ValueType type) { return static_cast<std::byte>(type); });
}

// The signature is stored in the packet's bytes, as a copy for each packet would be expensive; after finish()
// it is gone.
Signature PacketWriter::signature() const {
  Signature types;
  for (std::size_t at = 0; at < values_ && packet_head + at < bytes_.size(); ++at)
    types.push_back(static_cast<ValueType>(bytes_[packet_head + at]));
  return types;
}

ValueType PacketWriter::next() const {
  if (added_ >= values_)
    throw PacketError(fmt::format("a packet ({}) has no value {}", to_string(signature()), added_));
  return static_cast<ValueType>(bytes_[packet_head + added_]);
}

void PacketWriter::begin(ValueType type) {
  if (next() != type) {
    throw PacketError(fmt::format("value {} of a packet ({}) is given as {}", added_, to_string(signature()),
                                  to_string(std::span(&type, 1))));
  }
  ++added_;
}

void PacketWriter::append(Bytes bytes) {
  if (bytes.size() > max_packet_bytes - std::min(max_packet_bytes, bytes_.size())) {
    throw PacketError(fmt::format("a packet ({}) exceeds {} bytes with its value {}; send less at once",
                                  to_string(signature()), max_packet_bytes, added_ - 1));
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  bytes_.resize(padded(bytes_.size()));
}

void PacketWriter::add(ValueType type, Bytes value) {
  begin(type);
  if (!value_type::is_number(type) || value.size() != value_type::width(type))
    throw PacketError(fmt::format("{} bytes are no {}", value.size(), to_string(std::span(&type, 1))));
  append(value);
}

void PacketWriter::add_counted(std::size_t count, Bytes values) {
  const std::uint64_t word = count;
  append(std::as_bytes(std::span(&word, 1)));
  append(values);
}

void PacketWriter::raw_array(Bytes values) {
  const ValueType type = next();
  const std::size_t width = value_type::width(type);
  if (!value_type::is_array(type) || width == 0 || values.size() % width != 0)
    throw PacketError(fmt::format("{} bytes are no {}", values.size(), to_string(std::span(&type, 1))));
  begin(type);
  add_counted(values.size() / width, values);
}

void PacketWriter::text(std::string_view value) {
  begin(ValueType::text);
  add_counted(value.size(), std::as_bytes(std::span(value)));
}

void PacketWriter::texts(std::span<const std::string_view> values) {
  begin(ValueType::texts);
  add_counted(values.size(), {});
  for (const std::string_view value : values) add_counted(value.size(), std::as_bytes(std::span(value)));
}

Packet PacketWriter::finish(std::int32_t tag) {
  if (added_ != values_) {
    throw PacketError(fmt::format("a packet ({}) has only {} of its values", to_string(signature()), added_));
  }
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes_));
  return {.tag = tag, .body = *kept, .owner = kept};
}

// --- reading ------------------------------------------------------------------------------------------

PacketView::PacketView(Bytes body) : body_(body) {
  if (body.size() < packet_head || body.size() % unit_bytes != 0 || body[0] != packet_version ||
      (body[1] != little && body[1] != big)) {
    throw PacketError(fmt::format("{} bytes are not a packet of version {}", body.size(), int{1}));
  }
  // Makes a copy in the three cases in which the bytes cannot be read in place.
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(body.data()) % unit_bytes == 0;
  if (body[1] != native || !is_aligned) {
    own_.assign(body.begin(), body.end());
    body_ = own_;
  }
  index();
}

void PacketView::index() {
  const bool foreign = body_[1] != native;
  Walk walk(body_, foreign ? own_.data() : nullptr);
  walk.swap(2, sizeof(std::uint16_t), 1);
  std::uint16_t count = 0;
  std::memcpy(&count, &body_[2], sizeof count);
  const std::size_t begin = packet_head + padded(count);
  if (count > max_values || begin > body_.size())
    throw PacketError(fmt::format("a packet has at most {} values, not {}", max_values, count));
  walk.start_at(begin);
  for (; count_ < count; ++count_) {
    const auto type = static_cast<std::uint8_t>(body_[packet_head + count_]);
    if (!value_type::is_valid(type))
      throw PacketError(fmt::format("value {} of a packet has the unknown type {}", count_, type));
    types_[count_] = static_cast<ValueType>(type);
    offsets_[count_] = static_cast<std::uint32_t>(walk.pass(types_[count_]));
  }
  if (!walk.is_at_end()) throw PacketError("a packet is longer than its values");
  if (foreign) own_[1] = native;
}

void PacketView::require(std::size_t at) const {
  if (at >= count_)
    throw PacketError(fmt::format("a packet ({}) has no value {}", to_string(signature()), at));
}

void PacketView::require(std::size_t at, ValueType type) const {
  require(at);
  if (types_[at] == type) return;
  throw PacketError(fmt::format("value {} of a packet ({}) is read as {}", at, to_string(signature()),
                                to_string(std::span(&type, 1))));
}

std::size_t PacketView::elements(std::size_t at) const noexcept { return load(data(at)); }

std::string_view PacketView::text(std::size_t at) const {
  require(at, ValueType::text);
  return {reinterpret_cast<const char*>(data(at) + count_bytes), elements(at)};
}

std::vector<std::string_view> PacketView::texts(std::size_t at) const {
  require(at, ValueType::texts);
  std::vector<std::string_view> texts;
  const std::byte* next = data(at) + count_bytes;
  for (std::size_t left = elements(at); left > 0; --left) {
    const std::size_t length = load(next);
    texts.emplace_back(reinterpret_cast<const char*>(next + count_bytes), length);
    next += count_bytes + padded(length);
  }
  return texts;
}

std::size_t PacketView::count(std::size_t at) const {
  require(at);
  return value_type::is_number(types_[at]) ? 1 : elements(at);
}

Bytes PacketView::raw(std::size_t at) const {
  require(at);
  const ValueType type = types_[at];
  if (type == ValueType::texts) throw PacketError("an array of texts is not a single block of bytes");
  if (value_type::is_number(type)) return {data(at), value_type::width(type)};
  const std::size_t width = type == ValueType::text ? 1 : value_type::width(type);
  return {data(at) + count_bytes, elements(at) * width};
}

void format::refuse_types(std::span<const ValueType> found, std::span<const ValueType> expected) {
  throw PacketError(
      fmt::format("the packet holds ({}), but ({}) was expected", to_string(found), to_string(expected)));
}

}  // namespace eventspace::streams
