#include "monitors/cli/checked_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "paths/parameters/nearest.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace {
namespace {

std::string unknown_word(const std::string& word, const std::vector<std::string>& words) {
  const std::vector<std::string_view> known(words.begin(), words.end());
  const auto meant = nearest(word, known);
  return fmt::format("found '{}'; {}expected {}", word,
                     meant.empty() ? "" : fmt::format("did you mean '{}'? ", meant),
                     fmt::join(words, words.size() == 2 ? " or " : ", "));
}

// 1000000 and not 1e+06; 0.001 as it is.
std::string plain_number(double number) {
  const auto whole = static_cast<long long>(number);
  return static_cast<double>(whole) == number ? fmt::format("{}", whole) : fmt::format("{}", number);
}

}  // namespace

CLI::Option* add_choice_of(CLI::App& app, const std::string& name, const std::vector<std::string>& words,
                           const std::function<void(std::size_t)>& choose, const std::string& help) {
  const auto take = [words, choose, name](const CLI::results_t& given) {
    const auto found = std::ranges::find(words, given.at(0));
    if (found == words.end()) throw CLI::ValidationError(name, unknown_word(given.at(0), words));
    choose(static_cast<std::size_t>(found - words.begin()));
    return true;
  };
  return app.add_option(name, take, help)->type_name(fmt::format("{{{}}}", fmt::join(words, ",")));
}

CLI::Validator number_from(double least, double most, bool whole) {
  const auto check = [=](const std::string& text) -> std::string {
    const auto number = number_in<double>(text);
    // A comparison with NaN is false, so that NaN is refused.
    const bool fits = number && *number >= least && *number <= most;
    if (fits && (!whole || text.find_first_not_of("0123456789-") == std::string::npos)) return "";
    return fmt::format("found '{}'; expected a {} from {} to {}", text, whole ? "whole number" : "number",
                       plain_number(least), plain_number(most));
  };
  return {check, fmt::format("{}{} - {}]", number_in_range, plain_number(least), plain_number(most))};
}

void refuse_signs(CLI::App& app) {
  const auto check = [](const std::string& text) -> std::string {
    if (number_in<std::uint64_t>(text)) return "";
    return fmt::format("found '{}'; expected a whole number from 0 to {}", text,
                       std::numeric_limits<std::uint64_t>::max());
  };
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_name() == "UINT") option->check(CLI::Validator(check, ""));
  }
}

void refuse_repeated_flags(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  }
}

}  // namespace eventspace
