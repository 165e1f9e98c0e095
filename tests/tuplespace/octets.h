#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/tuple.h>

namespace eventspace::test {

using Octets = std::vector<std::byte>;

/// "93 01 c3" as octets.
inline Octets octets(std::string_view hex) {
  Octets result;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 3)
    result.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return result;
}

inline std::string hex(Bytes bytes) {
  std::string result;
  char pair[4];
  for (const std::byte octet : bytes) {
    std::snprintf(pair, sizeof pair, "%02x ", static_cast<unsigned>(octet));
    result += pair;
  }
  if (!result.empty()) result.pop_back();
  return result;
}

/// A body that is replaced, from one byte on, by an array of as many entries as there are bytes left. All
/// entries are present, but have the wrong type.
inline Octets with_lie(Bytes body, std::size_t at) {
  constexpr std::size_t entries = 100'000;
  Octets lie(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(at));
  for (const std::byte octet : octets("dd 00 01 86 a0")) lie.push_back(octet);
  lie.resize(lie.size() + entries, std::byte{0x90});
  return lie;
}

inline Octets octets_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace eventspace::test
