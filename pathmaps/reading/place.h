#pragma once

#include <compare>
#include <cstddef>
#include <string>

namespace eventspace::reading {

/// A position in a file of a pathmap. `file` is a number from Faults::add_file; line and column count from 1.
struct Place {
  std::size_t file{0};
  int line{0};
  int column{0};
  // clang-tidy 14 mistakes the zero to which the result is compared for a pointer.
  friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A word of a pathmap with its position.
struct Word {
  std::string text;
  Place place;
};

}  // namespace eventspace::reading
