#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eventspace {

// Options with few possible values. A wrong value is a usage error whose message has the value, the nearest
// word, and all possible words.

/// Adds an option that takes one of `words`, shown as {text,json,csv} in this order. `choose` receives the
/// index of the chosen word.
CLI::Option* add_choice_of(CLI::App& app, const std::string& name, const std::vector<std::string>& words,
                           const std::function<void(std::size_t)>& choose, const std::string& help);

/// As above; writes the value that belongs to the word to `value`, which must outlive the parsing.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        std::initializer_list<std::pair<const char*, Value>> choices,
                        const std::string& help) {
  std::vector<std::string> words;
  std::vector<Value> values;
  for (const auto& [word, meaning] : choices) {
    words.emplace_back(word);
    values.push_back(meaning);
  }
  const auto choose = [&value, values](std::size_t chosen) { value = values[chosen]; };
  return add_choice_of(app, name, words, choose, help);
}

/// The beginning of the description of a check by number_from(); "1 - 1000]" follows.
inline constexpr std::string_view number_in_range = "NUMBER in [";

/// A check for options that take a number: refuses other text, NaN, and numbers outside the range; the
/// message has the range. `whole`: without fractions.
CLI::Validator number_from(double least, double most, bool whole = false);
/// The same for whole numbers.
inline CLI::Validator whole_number_from(double least, double most) { return number_from(least, most, true); }

/// Makes all options that write to an unsigned integer refuse characters other than digits: CLI11 takes -3
/// for a large number.
void refuse_signs(CLI::App& app);

/// Makes all flags refuse to be given twice, as options with a value do: CLI11 takes the last.
void refuse_repeated_flags(CLI::App& app);

}  // namespace eventspace
