#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <eventspace/events.h>

namespace eventspace::python {

/// Bytes that grow without a copy: large blocks of memory are moved by the kernel (realloc of glibc). Not
/// thread-safe.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  GrowingBytes(GrowingBytes&& other) noexcept;
  GrowingBytes& operator=(GrowingBytes&& other) noexcept;
  ~GrowingBytes() { std::free(data_); }

  /// Makes room for `bytes` more and returns where they begin. Throws std::bad_alloc.
  std::byte* extend(std::size_t bytes);
  /// Gives unused room back to the system.
  void shrink() noexcept;
  /// The caller owns the memory from now on, and releases it with std::free.
  std::byte* release() noexcept;

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_{nullptr};
  std::size_t size_{0};
  std::size_t room_{0};
};

/// One field of many events, appended piece by piece, in the form of a numpy array. Not thread-safe.
///
/// Text is a code for each event, -1 if the event lacks the field, in the smallest of int8, int16 and int32
/// that holds all codes, and the names of the codes. Names are unique: objects whose names are the same text
/// have one code, so that comparing with a text selects the events that a condition selects.
class FieldColumn {
 public:
  /// `before`: how many events came before the first piece; they lack the field.
  FieldColumn(std::string name, EventColumn::Type type, std::size_t before);

  void append(const EventColumn& piece);
  /// Appends `events` that lack the field.
  void append_missing(std::size_t events);
  /// After the last piece.
  void finish();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] EventColumn::Type type() const noexcept { return type_; }
  /// The size of an element in bytes.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] bool has_any() const noexcept { return present_ > 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] GrowingBytes& values() noexcept { return values_; }
  /// A byte for each event, 1 if it lacks the field; nullopt if none does, or if the values say so
  /// themselves: a code of -1, a NaN, or the smallest integer.
  [[nodiscard]] std::optional<GrowingBytes> take_missing();

 private:
  template <class Code>
  void append_codes(const EventColumn& piece, const std::vector<std::int32_t>& code_of);
  [[nodiscard]] std::vector<std::int32_t> codes_of(const EventColumn& piece);
  void widen(std::size_t width);
  void note_missing(const EventColumn& piece);
  [[nodiscard]] bool says_missing() const noexcept;

  std::string name_;
  EventColumn::Type type_;
  std::size_t width_;
  std::size_t size_{0};
  std::size_t present_{0};
  GrowingBytes values_;
  GrowingBytes missing_;  // empty until an event lacks the field
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> codes_;  // of each text
};

}  // namespace eventspace::python
