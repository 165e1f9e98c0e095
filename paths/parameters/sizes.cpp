#include "paths/parameters/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuplespace/parsing/number_in.h"

namespace eventspace {

namespace {

struct ByteUnit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<ByteUnit, 8> byte_units{{{"", 1},
                                              {"B", 1},
                                              {"KiB", 1 << 10},
                                              {"MiB", 1 << 20},
                                              {"GiB", 1 << 30},
                                              {"kB", 1'000},
                                              {"MB", 1'000'000},
                                              {"GB", 1'000'000'000}}};

}  // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) noexcept {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto* const unit = std::ranges::find(byte_units, text.substr(digits.size()), &ByteUnit::name);
  const auto count = number_in<std::int64_t>(digits);
  if (!count || unit == byte_units.end() || *count > (std::int64_t{1} << 60) / unit->bytes)
    return std::nullopt;
  return *count * unit->bytes;
}

std::string format_bytes(std::int64_t bytes) {
  for (const std::string_view name : {"GiB", "MiB", "KiB"}) {
    const auto unit = std::ranges::find(byte_units, name, &ByteUnit::name)->bytes;
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, name);
  }
  return fmt::format("{}", bytes);
}

}  // namespace eventspace
