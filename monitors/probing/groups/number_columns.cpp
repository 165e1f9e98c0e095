#include "monitors/probing/groups/number_columns.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <span>

#include "scopes/streams/packets/packet.h"

namespace eventspace {
namespace {

using Number = NumberSpread::Number;

std::uint64_t bits_of(const Number& number) {
  return std::visit([](auto value) { return std::bit_cast<std::uint64_t>(value); }, number);
}

Number number_in(std::uint64_t kind, std::uint64_t bits) {
  if (kind == 0) return std::bit_cast<std::int64_t>(bits);
  const auto real = std::bit_cast<double>(bits);
  if (kind != 1 || std::isnan(real))
    throw streams::PacketError(fmt::format("{:#x} of kind {} is not a number of a process", bits, kind));
  return real;
}

}  // namespace

void NumberColumns::add(const NumberSpread& spread) {
  numbers.insert(numbers.end(), {spread.count, spread.missing, std::bit_cast<std::uint64_t>(spread.sum),
                                 spread.least.index(), bits_of(spread.least), bits_of(spread.greatest)});
  texts.insert(texts.end(), {spread.least_at, spread.greatest_at});
}

NumberSpread number_spread_in(PacketNumbers numbers, const PacketTexts& texts, std::size_t at) {
  require_fit(at < numbers.size() / NumberColumns::numbers_of_one &&
              at < texts.size() / NumberColumns::texts_of_one);
  const PacketNumbers own =
      numbers.subspan(at * NumberColumns::numbers_of_one, NumberColumns::numbers_of_one);
  const std::size_t names = at * NumberColumns::texts_of_one;
  return {own[0],
          own[1],
          std::bit_cast<double>(own[2]),
          number_in(own[3], own[4]),
          number_in(own[3], own[5]),
          std::string(texts[names]),
          std::string(texts[names + 1])};
}

}  // namespace eventspace
