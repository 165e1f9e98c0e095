#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pathmaps/reading/document.h"

namespace eventspace::reading {

/// Functions that read one value. If it has another type or is out of range, they report a fault that names
/// `what` and return nothing. Ranges include both ends.

struct IntegerRange {
  std::int64_t least;
  std::int64_t most;
};
struct DurationRange {
  std::chrono::nanoseconds least;
  std::chrono::nanoseconds most;
};

/// Reads any scalar that is not empty.
std::optional<Word> read_word(const Value& value, std::string_view what, Faults& faults);
/// Reads a list of words. A single word is read as a list with one item.
std::vector<Word> read_words(const Value& value, std::string_view what, Faults& faults);
std::optional<bool> read_boolean(const Value& value, std::string_view what, Faults& faults);
std::optional<std::int64_t> read_integer(const Value& value, std::string_view what, IntegerRange range,
                                         Faults& faults);
std::optional<std::chrono::nanoseconds> read_duration(const Value& value, std::string_view what,
                                                      DurationRange range, Faults& faults);
/// Reads a number of bytes: 4096, 64KiB, 2MB ...
std::optional<std::int64_t> read_bytes(const Value& value, std::string_view what, IntegerRange range,
                                       Faults& faults);

/// Parse a number. Return nothing unless all of `text` is a number.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
std::optional<double> parse_real(std::string_view text) noexcept;

}  // namespace eventspace::reading
