// Encodes numbers in few bytes, in the same way on every machine: seven bits in each byte, lowest first; the
// eighth bit is set if more bytes follow. Signed numbers are folded first (0, -1, 1, -2, ...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace eventspace::windtunnel {

class Packer {
 public:
  void add(std::uint64_t number);
  void add_signed(std::int64_t number);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  // The bytes must outlive this object.
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

  // Both throw std::invalid_argument if the bytes end too soon or are not a number of 64 bits.
  std::uint64_t next();
  std::int64_t next_signed();

  bool is_at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace eventspace::windtunnel
