#pragma once

#include <cstdint>

namespace eventspace {

/// The encoding of a number in a record.
enum class NumberForm : std::uint8_t {
  absent = 0,   ///< there is no number
  integer = 1,  ///< two's complement, of 64 bits
  natural = 2,
  real = 3  ///< IEEE 754, of 64 bits
};

}  // namespace eventspace
