#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace eventspace {

/// FNV-1a, a hash that is the same in all processes and on all machines; of 32 or 64 bits. Collisions are
/// easy to construct, so not for data that an attacker may choose. (G. Fowler, L. C. Noll, K.-P. Vo, D.
/// Eastlake: The FNV Non-Cryptographic Hash Algorithm.)
template <std::unsigned_integral Hash>
constexpr Hash fnv1a(std::string_view text) noexcept {
  static_assert(sizeof(Hash) == 4 || sizeof(Hash) == 8);
  constexpr bool is_wide = sizeof(Hash) == 8;
  Hash hash = static_cast<Hash>(is_wide ? 0xcbf29ce484222325 : 0x811c9dc5);
  for (const char letter : text)
    hash =
        (hash ^ static_cast<unsigned char>(letter)) * static_cast<Hash>(is_wide ? 0x100000001b3 : 0x01000193);
  return hash;
}

static_assert(fnv1a<std::uint32_t>("a") == 0xe40c292c);
static_assert(fnv1a<std::uint64_t>("a") == 0xaf63dc4c8601ec8c);

}  // namespace eventspace
