#pragma once

// Also used by monitors/. The size of an encoded value, without encoding it.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "paths/wire/fields.h"

namespace eventspace::wire {

/// Counts the bytes that an EntryWriter would write for the same calls.
class SizeCounter {
 public:
  explicit SizeCounter(std::size_t& size) noexcept : size_(&size) {}

  void array(std::size_t entries) const noexcept {
    *size_ += entries < 16 ? 1 : entries <= UINT16_MAX ? 3 : 5;
  }
  template <std::integral Integer>
  void integer(Integer value) const noexcept {
    if constexpr (std::is_signed_v<Integer>)
      if (value < 0) return negative(value);
    const auto number = static_cast<std::uint64_t>(value);
    *size_ += number < 0x80          ? 1
              : number <= UINT8_MAX  ? 2
              : number <= UINT16_MAX ? 3
              : number <= UINT32_MAX ? 5
                                     : 9;
  }
  void boolean(bool /*value*/) const noexcept { *size_ += 1; }
  void real(double /*value*/) const noexcept { *size_ += 9; }
  void text(std::string_view text) const noexcept {
    *size_ += text.size() + (text.size() < 32 ? 1 : header(text.size()));
  }
  void bytes(Bytes bytes) const noexcept {
    bytes_of(bytes.size());
    piece(bytes);
  }
  void bytes_of(std::size_t size) const noexcept { *size_ += header(size); }
  void piece(Bytes bytes) const noexcept { *size_ += bytes.size(); }

 private:
  static std::size_t header(std::size_t size) noexcept {
    return size <= UINT8_MAX ? 2 : size <= UINT16_MAX ? 3 : 5;
  }
  void negative(std::int64_t value) const noexcept {
    *size_ += value >= -32 ? 1 : value >= INT8_MIN ? 2 : value >= INT16_MIN ? 3 : value >= INT32_MIN ? 5 : 9;
  }

  std::size_t* size_;
};

/// The size of encoded(value).
template <class T>
[[nodiscard]] std::size_t encoded_size(const T& value) {
  std::size_t size = 0;
  DefaultForm<T>::write(SizeCounter(size), value);
  return size;
}

}  // namespace eventspace::wire
