#pragma once

// Private to pathmaps/.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pathmaps/reading/document.h"

namespace eventspace::reading {

/// Each reads one value; nothing, and a fault that names `what`, when it is not of the kind or out of range.

struct IntegerRange {
  std::int64_t least;
  std::int64_t most;
};
struct DurationRange {
  std::chrono::nanoseconds least;
  std::chrono::nanoseconds most;
};

/// Text of any kind, but not empty.
std::optional<Word> read_word(const Value& value, std::string_view what, Faults& faults);
/// A list of words, or one word that stands for a list of one.
std::vector<Word> read_words(const Value& value, std::string_view what, Faults& faults);
std::optional<bool> read_boolean(const Value& value, std::string_view what, Faults& faults);
std::optional<std::int64_t> read_integer(const Value& value, std::string_view what, IntegerRange range,
                                         Faults& faults);
std::optional<std::chrono::nanoseconds> read_duration(const Value& value, std::string_view what,
                                                      DurationRange range, Faults& faults);
/// A number of bytes: 4096, 64KiB, 2MB ...
std::optional<std::int64_t> read_bytes(const Value& value, std::string_view what, IntegerRange range,
                                       Faults& faults);

/// The text forms behind them; nothing when `text` has another form.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
std::optional<double> parse_real(std::string_view text) noexcept;

}  // namespace eventspace::reading
