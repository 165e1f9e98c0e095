// A matrix of bits, row by row, 64 columns a word: column c of a row is bit c % 64 of its word c / 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace eventspace::windtunnel {

using BitRow = std::span<std::uint64_t>;
using ConstBitRow = std::span<const std::uint64_t>;

class BitMatrix {
 public:
  BitMatrix(std::size_t rows, std::size_t words) : words_(words), bits_(rows * words) {}

  BitRow row(std::size_t index) { return BitRow(bits_).subspan(index * words_, words_); }
  ConstBitRow row(std::size_t index) const { return ConstBitRow(bits_).subspan(index * words_, words_); }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

inline bool test_bit(ConstBitRow row, std::size_t column) { return (row[column / 64] >> (column % 64)) & 1U; }

inline void set_bit(BitRow row, std::size_t column) { row[column / 64] |= std::uint64_t{1} << (column % 64); }

}  // namespace eventspace::windtunnel
