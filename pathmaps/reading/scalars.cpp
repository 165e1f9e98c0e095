#include "pathmaps/reading/scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <eventspace/extend.h>
#include "paths/parameters/sizes.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace::reading {

namespace {

bool is_plain_scalar(const Value& value) { return value.kind == Value::Kind::scalar && !value.quoted; }

void expected(const Value& value, std::string_view what, const std::string& kind, Faults& faults) {
  faults.add(value.place, fmt::format("found {}{} for '{}'; expected {}", value.quoted ? "the text " : "",
                                      describe(value), what, kind));
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  return number_in<std::int64_t>(text);
}

std::optional<double> parse_real(std::string_view text) noexcept {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<Word> read_word(const Value& value, std::string_view what, Faults& faults) {
  if (value.kind == Value::Kind::scalar && !value.text.empty()) return Word{value.text, value.place};
  expected(value, what, "a word", faults);
  return std::nullopt;
}

std::vector<Word> read_words(const Value& value, std::string_view what, Faults& faults) {
  const bool list = value.kind == Value::Kind::sequence;
  if (!list && value.kind != Value::Kind::scalar) {
    expected(value, what, "a word or a list of words", faults);
    return {};
  }
  std::vector<Word> words;
  for (const auto* item : list ? value.items : std::vector<const Value*>{&value}) {
    if (auto word = read_word(*item, what, faults)) words.push_back(std::move(*word));
  }
  return words;
}

std::optional<bool> read_boolean(const Value& value, std::string_view what, Faults& faults) {
  if (is_plain_scalar(value) && (value.text == "true" || value.text == "false")) return value.text == "true";
  expected(value, what, "true or false", faults);
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const Value& value, std::string_view what, IntegerRange range,
                                         Faults& faults) {
  const auto number = is_plain_scalar(value) ? parse_integer(value.text) : std::nullopt;
  if (number && *number >= range.least && *number <= range.most) return number;
  expected(value, what, fmt::format("an integer from {} to {}", range.least, range.most), faults);
  return std::nullopt;
}

std::optional<std::chrono::nanoseconds> read_duration(const Value& value, std::string_view what,
                                                      DurationRange range, Faults& faults) {
  const auto duration = is_plain_scalar(value) ? parse_duration(value.text) : std::nullopt;
  if (duration && *duration >= range.least && *duration <= range.most) return duration;
  expected(value, what,
           fmt::format("a duration such as 250ms, from {} to {}", format_duration(range.least),
                       format_duration(range.most)),
           faults);
  return std::nullopt;
}

std::optional<std::int64_t> read_bytes(const Value& value, std::string_view what, IntegerRange range,
                                       Faults& faults) {
  const auto bytes = is_plain_scalar(value) ? parse_bytes(value.text) : std::nullopt;
  if (bytes && *bytes >= range.least && *bytes <= range.most) return bytes;
  expected(value, what,
           fmt::format("a number of bytes such as 64KiB, from {} to {}", format_bytes(range.least),
                       format_bytes(range.most)),
           faults);
  return std::nullopt;
}

}  // namespace eventspace::reading
