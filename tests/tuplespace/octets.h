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

inline Octets octets_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace eventspace::test
