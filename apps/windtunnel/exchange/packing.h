// Numbers as few bytes, alike on every machine: seven bits a byte, lowest first, the eighth says that more
// follow; signed numbers are folded (0, -1, 1, -2, ...) first.
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
  // The bytes must outlive it.
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

  // Throw std::invalid_argument when the bytes end too soon, or are not a number of 64 bits.
  std::uint64_t next();
  std::int64_t next_signed();

  bool is_at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace eventspace::windtunnel
