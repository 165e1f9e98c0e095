#pragma once

#include <optional>
#include <string_view>

#include "scopes/metrics/language/syntax.h"

namespace eventspace::metrics {

// The words that metrics cannot use as names. They are case-insensitive. All functions are thread-safe.

/// Whether two words are equal, ignoring case.
bool is_same_word(std::string_view left, std::string_view right) noexcept;
bool is_keyword(std::string_view word) noexcept;
/// The aggregate or moment that a keyword names; nothing for another word.
std::optional<Aggregate> aggregate_named(std::string_view word) noexcept;
std::optional<Moment> moment_named(std::string_view word) noexcept;

}  // namespace eventspace::metrics
