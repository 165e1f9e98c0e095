#include "monitors/web/report/sha256.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

namespace eventspace::web {
namespace {

using Words = std::array<std::uint32_t, 8>;

// The first bits of the fractional parts of the cube roots of the first 64 primes.
const std::array<std::uint32_t, 64>& round_constants() {
  static const auto constants = [] {
    std::array<std::uint32_t, 64> all{};
    std::size_t found = 0;
    for (unsigned number = 2; found < all.size(); ++number) {
      bool is_prime = true;
      for (unsigned divisor = 2; divisor * divisor <= number; ++divisor)
        is_prime = is_prime && number % divisor != 0;
      if (!is_prime) continue;
      const long double root = std::cbrt(static_cast<long double>(number));
      all[found++] = static_cast<std::uint32_t>((root - std::floor(root)) * 0x1p32L);
    }
    return all;
  }();
  return constants;
}

std::uint32_t word_at(std::span<const std::uint8_t> block, std::size_t at) {
  return std::uint32_t{block[at]} << 24 | std::uint32_t{block[at + 1]} << 16 |
         std::uint32_t{block[at + 2]} << 8 | block[at + 3];
}

void add_block(Words& hash, std::span<const std::uint8_t> block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = word_at(block, 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t one = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t more = h + one + ((e & f) ^ (~e & g)) + round_constants()[i] + w[i];
    const std::uint32_t zero = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t last = zero + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + more;
    d = c;
    c = b;
    b = a;
    a = more + last;
  }
  const Words added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] += added[i];
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view text) {
  constexpr std::size_t block = 64;
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % block != block - 8) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(std::uint64_t{text.size()} * 8 >> shift);
  Words hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(padded.data()), padded.size());
  for (std::size_t at = 0; at < bytes.size(); at += block) add_block(hash, bytes.subspan(at, block));
  std::array<std::uint8_t, 32> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::uint8_t>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return result;
}

}  // namespace eventspace::web
