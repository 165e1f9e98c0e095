#pragma once

// Private to tuplespace/.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuplespace/element.h"

namespace eventspace {

/// What a shared element holds, as seen from outside.
struct PeekedElement {
  ElementConfig config;
  std::string process;  ///< its home
  std::size_t room{0};
  bool is_known{false};    ///< false: it was changed whenever it was looked at, or is damaged
  Element::Counts counts;  ///< if it is known; this and the following
  std::uint64_t kept_bytes{0};
  std::uint64_t oldest{0};  ///< number of the oldest tuple; 0: there is none
  std::uint64_t newest{0};
};

/// Looks at the elements of an element file without taking their locks or writing to them, so that the caller
/// can be stopped or killed at any moment and no user of an element notices. The numbers of an element belong
/// to one state of it. Does not block.
///
/// Throws EnvironmentError as ElementFileView does.
std::vector<PeekedElement> peek_elements(const std::filesystem::path& file);

}  // namespace eventspace
