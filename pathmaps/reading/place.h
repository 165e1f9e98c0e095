#pragma once

// Private to pathmaps/.

#include <compare>
#include <cstddef>
#include <string>

namespace eventspace::reading {

/// Where something stands: a file by its number in Faults, line and column from 1.
struct Place {
  std::size_t file{0};
  int line{0};
  int column{0};
  // clang-tidy 14 takes the zero that the comparison's result is compared with for a pointer.
  friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A word of a pathmap and where it stands.
struct Word {
  std::string text;
  Place place;
};

}  // namespace eventspace::reading
