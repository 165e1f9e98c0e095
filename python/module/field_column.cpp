#include "python/module/field_column.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace eventspace::python {
namespace {

using Type = EventColumn::Type;

constexpr std::size_t least_room = 4096;

std::size_t first_width(Type type) noexcept {
  switch (type) {
    case Type::natural:
    case Type::integer:
    case Type::real:
      return 8;
    case Type::boolean:
    case Type::text:
      return 1;
  }
  return 8;
}

// Fills in the values of events that lack the field, as EventColumn does.
void fill_missing(std::byte* at, Type type, std::size_t width, std::size_t events) {
  if (type == Type::integer || type == Type::real) {
    const std::int64_t none = EventColumn::no_integer;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < events; ++i, at += width)
      std::memcpy(at, type == Type::integer ? static_cast<const void*>(&none) : &nan, width);
    return;
  }
  std::memset(at, type == Type::text ? 0xff : 0, events * width);
}

template <class From, class To>
void widen_codes(const std::byte* from, std::byte* to, std::size_t codes) {
  for (std::size_t i = 0; i < codes; ++i) {
    From code{};
    std::memcpy(&code, from + i * sizeof code, sizeof code);
    const To wide = code;  // NOLINT(bugprone-signed-char-misuse): -1 stays -1
    std::memcpy(to + i * sizeof wide, &wide, sizeof wide);
  }
}

}  // namespace

GrowingBytes::GrowingBytes(GrowingBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      room_(std::exchange(other.room_, 0)) {}

GrowingBytes& GrowingBytes::operator=(GrowingBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(room_, other.room_);
  return *this;
}

std::byte* GrowingBytes::extend(std::size_t bytes) {
  if (size_ + bytes > room_) {
    const std::size_t room = std::max({size_ + bytes, room_ + room_ / 2, least_room});
    void* const moved = std::realloc(data_, room);
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(moved);
    room_ = room;
  }
  std::byte* const at = data_ + size_;
  size_ += bytes;
  return at;
}

void GrowingBytes::shrink() noexcept {
  if (size_ == 0 || size_ == room_) return;
  if (void* const moved = std::realloc(data_, size_)) {
    data_ = static_cast<std::byte*>(moved);
    room_ = size_;
  }
}

std::byte* GrowingBytes::release() noexcept {
  size_ = room_ = 0;
  return std::exchange(data_, nullptr);
}

FieldColumn::FieldColumn(std::string name, Type type, std::size_t before)
    : name_(std::move(name)), type_(type), width_(first_width(type)) {
  append_missing(before);
}

bool FieldColumn::says_missing() const noexcept {
  return type_ == Type::text || type_ == Type::real || type_ == Type::integer;
}

void FieldColumn::append_missing(std::size_t events) {
  if (events == 0) return;
  fill_missing(values_.extend(events * width_), type_, width_, events);
  if (!says_missing()) {
    if (missing_.size() == 0) std::memset(missing_.extend(size_), 0, size_);
    std::memset(missing_.extend(events), 1, events);
  }
  size_ += events;
}

void FieldColumn::note_missing(const EventColumn& piece) {
  const auto present = piece.present();
  const auto found = static_cast<std::size_t>(std::count(present.begin(), present.end(), 1));
  present_ += found;
  if (says_missing() || (found == present.size() && missing_.size() == 0)) return;
  if (missing_.size() == 0 && size_ > 0) std::memset(missing_.extend(size_), 0, size_);
  std::byte* const at = missing_.extend(present.size());
  for (std::size_t i = 0; i < present.size(); ++i) at[i] = std::byte(present[i] == 0);
}

void FieldColumn::append(const EventColumn& piece) {
  if (piece.size() == 0) return;
  note_missing(piece);
  const auto copy = [this](const auto& values) {
    std::memcpy(values_.extend(values.size_bytes()), values.data(), values.size_bytes());
  };
  switch (type_) {
    case Type::natural:
      copy(piece.naturals());
      break;
    case Type::integer:
      copy(piece.integers());
      break;
    case Type::real:
      copy(piece.reals());
      break;
    case Type::boolean:
      copy(piece.booleans());
      break;
    case Type::text: {
      const std::vector<std::int32_t> code_of = codes_of(piece);
      if (width_ == 1) append_codes<std::int8_t>(piece, code_of);
      if (width_ == 2) append_codes<std::int16_t>(piece, code_of);
      if (width_ == 4) append_codes<std::int32_t>(piece, code_of);
      break;
    }
  }
  size_ += piece.size();
}

// The codes of this column for the names of a piece, whose codes are its own.
std::vector<std::int32_t> FieldColumn::codes_of(const EventColumn& piece) {
  std::vector<std::int32_t> code_of;
  code_of.reserve(piece.names().size());
  for (const EventColumn::Name& name : piece.names()) {
    const auto [known, is_new] = codes_.try_emplace(name.text, static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.push_back(name.text);
    code_of.push_back(known->second);
  }
  if (names_.size() > 32768) {
    widen(4);
  } else if (names_.size() > 128) {
    widen(2);
  }
  return code_of;
}

void FieldColumn::widen(std::size_t width) {
  if (width_ >= width) return;
  GrowingBytes wide;
  std::byte* const at = wide.extend(size_ * width);
  if (width_ == 1 && width == 2) widen_codes<std::int8_t, std::int16_t>(values_.data(), at, size_);
  if (width_ == 1 && width == 4) widen_codes<std::int8_t, std::int32_t>(values_.data(), at, size_);
  if (width_ == 2 && width == 4) widen_codes<std::int16_t, std::int32_t>(values_.data(), at, size_);
  values_ = std::move(wide);
  width_ = width;
}

template <class Code>
void FieldColumn::append_codes(const EventColumn& piece, const std::vector<std::int32_t>& code_of) {
  const auto codes = piece.codes();
  std::byte* at = values_.extend(codes.size() * sizeof(Code));
  for (const std::uint32_t code : codes) {
    const Code own = code == EventColumn::no_name ? Code{-1} : static_cast<Code>(code_of[code]);
    std::memcpy(at, &own, sizeof own);
    at += sizeof own;
  }
}

void FieldColumn::finish() {
  values_.shrink();
  missing_.shrink();
  codes_.clear();
}

std::optional<GrowingBytes> FieldColumn::take_missing() {
  if (missing_.size() == 0) return std::nullopt;
  return std::move(missing_);
}

}  // namespace eventspace::python
