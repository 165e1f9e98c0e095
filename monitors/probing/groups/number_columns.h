#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monitors/probing/groups/number_spread.h"
#include "monitors/probing/groups/packet_columns.h"

namespace eventspace {

/// Spreads of numbers as columns of a packet to be sent. The texts are views of the spreads.
struct NumberColumns {
  static constexpr std::size_t numbers_of_one = 6;  ///< count, missing, sum, kind, least, greatest
  static constexpr std::size_t texts_of_one = 2;    ///< the processes with the least and the greatest

  void add(const NumberSpread& spread);

  std::vector<std::uint64_t> numbers{};
  PacketTexts texts{};
};

/// The spread at index `at` of the columns. Throws PacketError if it is invalid, or the columns are too
/// short.
NumberSpread number_spread_in(PacketNumbers numbers, const PacketTexts& texts, std::size_t at);

}  // namespace eventspace
