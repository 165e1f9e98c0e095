#include "monitors/whatif/actions/amounts.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "tuplespace/parsing/number_in.h"

namespace eventspace::whatif {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t size;
};
// The largest first: a text uses the largest unit that gives a number of at least 1.
constexpr std::array time_units{Unit{"h", 3600 * ps_per_second},
                                Unit{"min", 60 * ps_per_second},
                                Unit{"s", ps_per_second},
                                Unit{"ms", 1'000'000'000},
                                Unit{"us", 1'000'000},
                                Unit{"ns", 1000},
                                Unit{"ps", 1}};
constexpr std::array byte_units{
    Unit{"B", 1},     Unit{"KiB", 1 << 10},  Unit{"MiB", 1 << 20},      Unit{"GiB", 1LL << 30},
    Unit{"kB", 1000}, Unit{"MB", 1'000'000}, Unit{"GB", 1'000'000'000}, Unit{"TiB", 1LL << 40}};
constexpr std::array rate_units{
    Unit{"b/s", 1}, Unit{"kb/s", 1000}, Unit{"Mb/s", 1'000'000}, Unit{"Gb/s", 1'000'000'000},
    Unit{"B/s", 8}, Unit{"kB/s", 8000}, Unit{"MB/s", 8'000'000}, Unit{"GB/s", 8'000'000'000}};

// Products of numbers and units.
__extension__ using Wide = __int128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "12.5" and "ms"; nothing if there is no number in front.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.')) ++at;
  if (at == 0 || text[0] == '.' || text[at - 1] == '.') return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at));
}

template <std::size_t N>
std::optional<std::int64_t> size_of_unit(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.size;
  }
  return std::nullopt;
}

// number * unit, rounded to the nearest, in 128 bits so that no digit is lost.
std::optional<std::int64_t> scaled(std::string_view number, std::int64_t unit, std::int64_t most) {
  const std::size_t point = number.find('.');
  const auto whole = number_in<std::uint64_t>(number.substr(0, point));
  if (!whole || *whole > static_cast<std::uint64_t>(most / unit)) return std::nullopt;
  auto sum = static_cast<Wide>(*whole) * unit;
  if (point != std::string_view::npos) {
    Wide part = 0;
    Wide divisor = 1;
    for (const char c : number.substr(point + 1, 18)) {
      if (!is_digit(c)) return std::nullopt;
      part = part * 10 + (c - '0');
      divisor *= 10;
    }
    for (const char c : number.substr(point + 1)) {
      if (!is_digit(c)) return std::nullopt;
    }
    sum += (part * unit + divisor / 2) / divisor;
  }
  if (sum > most) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

}  // namespace

std::optional<double> real_from(std::string_view text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<Picoseconds> time_from(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  if (parts->second.empty()) return parts->first == "0" ? std::optional<Picoseconds>(0) : std::nullopt;
  const auto unit = size_of_unit(time_units, parts->second);
  return unit ? scaled(parts->first, *unit, longest_time) : std::nullopt;
}

std::string to_text(Picoseconds time) {
  if (time == 0) return "0";
  // Seconds are the largest unit, as minutes are no power of ten.
  for (const Unit& unit : time_units) {
    if (unit.size > ps_per_second || time < unit.size) continue;
    std::string text = std::to_string(time / unit.size);
    if (const Picoseconds rest = time % unit.size; rest != 0) {
      std::string digits = std::to_string(unit.size + rest).substr(1);  // with the zeros in front
      digits.erase(digits.find_last_not_of('0') + 1);
      text += "." + digits;
    }
    return text + std::string(unit.name);
  }
  return "0";
}

std::optional<std::uint64_t> bytes_from(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  const auto unit = size_of_unit(byte_units, parts->second.empty() ? "B" : parts->second);
  if (!unit) return std::nullopt;
  const auto bytes = scaled(parts->first, *unit, std::numeric_limits<std::int64_t>::max() / 2);
  return bytes ? std::optional(static_cast<std::uint64_t>(*bytes)) : std::nullopt;
}

std::optional<double> rate_from(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  const auto unit = size_of_unit(rate_units, parts->second);
  const auto number = real_from(parts->first);
  if (!unit || !number) return std::nullopt;
  const double rate = *number * static_cast<double>(*unit);
  return rate >= 1 && rate <= 1e15 ? std::optional(rate) : std::nullopt;
}

std::string rate_text(double bits_per_second) {
  if (bits_per_second >= 1e9) return fmt::format("{:.6g}Gb/s", bits_per_second / 1e9);
  if (bits_per_second >= 1e6) return fmt::format("{:.6g}Mb/s", bits_per_second / 1e6);
  if (bits_per_second >= 1e3) return fmt::format("{:.6g}kb/s", bits_per_second / 1e3);
  return fmt::format("{:.6g}b/s", bits_per_second);
}

std::optional<double> factor_from(std::string_view text) {
  if (text.starts_with('x')) text.remove_prefix(1);
  const auto factor = real_from(text);
  if (!factor || *factor < 0 || *factor > 1e6) return std::nullopt;
  return factor;
}

}  // namespace eventspace::whatif
