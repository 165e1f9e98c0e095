#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuplespace/element.h"

namespace eventspace {

/// The contents of a shared element, as seen from outside, in numbers.
struct PeekedElement {
  ElementConfig config;
  std::string process;  ///< its home
  std::size_t room{0};
  bool is_known{false};    ///< false if it changed during every attempt, or is damaged
  Element::Counts counts;  ///< valid if it is known, like the following
  std::uint64_t kept_bytes{0};
  std::uint64_t oldest{0};  ///< number of the oldest tuple; 0 if none
  std::uint64_t newest{0};
};

/// Reads the elements of an element file without taking their locks or writing to them, so that the caller
/// can be stopped or killed at any moment without affecting users of the elements. The numbers of an element
/// belong to a single state. Does not block.
///
/// Throws EnvironmentError like ElementFileView.
std::vector<PeekedElement> peek_elements(const std::filesystem::path& file);

}  // namespace eventspace
