#include <eventspace/extend.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <eventspace/error.h>

namespace eventspace {

namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr std::array<std::string_view, 6> kind_names{"true or false", "an integer", "a number",
                                                     "text",          "a duration", "a list of words"};

ParameterKind kind_of(const ParameterValue& value) { return static_cast<ParameterKind>(value.index()); }

bool is_kind(const ParameterValue& value, ParameterKind kind) {
  return kind_of(value) == kind || (kind == ParameterKind::real && kind_of(value) == ParameterKind::integer);
}

const ParameterSpec* find_spec(const std::vector<ParameterSpec>& specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &ParameterSpec::name);
  return found == specs.end() ? nullptr : &*found;
}

/// The value as a number in the unit of ParameterSpec::least and most.
std::optional<double> magnitude(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* duration = std::get_if<Nanoseconds>(&value))
    return std::chrono::duration<double>(*duration).count();
  return std::nullopt;
}

std::string bound_text(const ParameterSpec& spec, double bound) {
  if (spec.kind != ParameterKind::duration) return fmt::format("{}", bound);
  return format_duration(Nanoseconds(std::llround(bound * 1e9)));
}

std::string range_text(const ParameterSpec& spec) {
  if (spec.least && spec.most)
    return fmt::format("from {} to {}", bound_text(spec, *spec.least), bound_text(spec, *spec.most));
  if (spec.least) return fmt::format("at least {}", bound_text(spec, *spec.least));
  return fmt::format("at most {}", bound_text(spec, *spec.most));
}

bool out_of_range(const ParameterSpec& spec, const ParameterValue& value) {
  const auto number = magnitude(value);
  if (!number) return false;
  return !std::isfinite(*number) || (spec.least && *number < *spec.least) ||
         (spec.most && *number > *spec.most);
}

/// The first word in `value` that is not one of the choices.
const std::string* wrong_choice(const ParameterSpec& spec, const ParameterValue& value) {
  const auto is_wrong = [&](const std::string& word) {
    return std::ranges::find(spec.choices, word) == spec.choices.end();
  };
  if (spec.choices.empty()) return nullptr;
  if (const auto* word = std::get_if<std::string>(&value)) return is_wrong(*word) ? word : nullptr;
  const auto* words = std::get_if<std::vector<std::string>>(&value);
  if (words == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*words, is_wrong);
  return found == words->end() ? nullptr : &*found;
}

std::optional<std::string> value_fault(const ParameterSpec& spec, const ParameterValue& value) {
  if (!is_kind(value, spec.kind))
    return fmt::format("found '{}' for '{}'; expected {}", to_string(value), spec.name, to_string(spec.kind));
  if (const auto* word = wrong_choice(spec, value))
    return fmt::format("found '{}' for '{}'; allowed: {}", *word, spec.name, fmt::join(spec.choices, ", "));
  if (!out_of_range(spec, value)) return std::nullopt;
  if (!spec.least && !spec.most)
    return fmt::format("found '{}' for '{}'; expected a finite number", to_string(value), spec.name);
  return fmt::format("found '{}' for '{}'; expected {} {}", to_string(value), spec.name, to_string(spec.kind),
                     range_text(spec));
}

std::optional<ParameterFault> inner_fault(const ParameterSpec& spec, const ParameterValue& value) {
  const auto* const text = std::get_if<std::string>(&value);
  auto fault = text != nullptr && spec.check ? spec.check(*text) : std::nullopt;
  if (!fault) return std::nullopt;
  return ParameterFault{spec.name, fmt::format("'{}', {}", spec.name, fault->text), fault->offset};
}

std::string known_names(const std::vector<ParameterSpec>& specs) {
  std::vector<std::string_view> names;
  names.reserve(specs.size());
  for (const auto& spec : specs) names.push_back(spec.name);
  return names.empty() ? "it has none" : fmt::format("known: {}", fmt::join(names, ", "));
}

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array<Unit, 6> units{{{"h", 3'600'000'000'000},
                                     {"min", 60'000'000'000},
                                     {"s", 1'000'000'000},
                                     {"ms", 1'000'000},
                                     {"us", 1'000},
                                     {"ns", 1}}};

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_decimal);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// `sum` + `factor` * `scale`; nothing if it overflows.
std::optional<std::int64_t> add_scaled(std::int64_t sum, std::int64_t factor, std::int64_t scale) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (factor > (most - sum) / scale) return std::nullopt;
  return sum + factor * scale;
}

/// `whole`.`fraction` units in nanoseconds; nothing if that is not a whole number or overflows.
std::optional<Nanoseconds> to_nanoseconds(std::string_view whole, std::string_view fraction,
                                          std::int64_t scale) {
  std::optional<std::int64_t> count{0};
  for (std::size_t i = 0; i < whole.size() && count; ++i) count = add_scaled(whole[i] - '0', *count, 10);
  if (count) count = add_scaled(0, *count, scale);
  for (std::size_t i = 0; i < fraction.size() && count; ++i) {
    if (scale % 10 != 0) return std::nullopt;
    scale /= 10;
    count = add_scaled(*count, fraction[i] - '0', scale);
  }
  if (!count) return std::nullopt;
  return Nanoseconds(*count);
}

/// `count` in `unit`, as an exact decimal number of at least 1 with at most nine decimals; empty if
/// impossible.
std::string exact_decimal(std::uint64_t count, const Unit& unit) {
  const auto scale = static_cast<std::uint64_t>(unit.nanoseconds);
  if (count < scale) return {};
  std::string text = fmt::format("{}", count / scale);
  auto rest = count % scale;
  if (rest != 0) text += '.';
  for (int digits = 0; rest != 0; ++digits) {
    if (digits == 9) return {};
    text += static_cast<char>('0' + rest * 10 / scale);
    rest = rest * 10 % scale;
  }
  return text.append(unit.name);
}

}  // namespace

std::string_view to_string(ParameterKind kind) noexcept {
  return kind_names.at(static_cast<std::size_t>(kind));
}

std::string to_string(const ParameterValue& value) {
  struct Spell {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(Nanoseconds duration) const { return format_duration(duration); }
    std::string operator()(const std::vector<std::string>& texts) const {
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
  };
  return std::visit(Spell{}, value);
}

std::vector<ParameterFault> check_parameters(const std::vector<ParameterSpec>& specs,
                                             const Parameters& given) {
  std::vector<ParameterFault> faults;
  for (const auto& [name, value] : given) {
    const auto* spec = find_spec(specs, name);
    if (spec == nullptr) {
      faults.push_back({name, fmt::format("unknown parameter '{}'; {}", name, known_names(specs))});
    } else if (auto fault = value_fault(*spec, value)) {
      faults.push_back({name, std::move(*fault)});
    } else if (auto inside = inner_fault(*spec, value)) {
      faults.push_back(std::move(*inside));
    }
  }
  for (const auto& spec : specs) {
    if (spec.required && !given.contains(spec.name))
      faults.push_back(
          {"", fmt::format("parameter '{}' is missing; expected {}", spec.name, to_string(spec.kind))});
  }
  return faults;
}

Parameters complete_parameters(const std::vector<ParameterSpec>& specs, Parameters given,
                               std::string_view owner) {
  const auto faults = check_parameters(specs, given);
  if (!faults.empty()) throw ConfigurationError(fmt::format("{}: {}", owner, faults.front().text));
  for (const auto& spec : specs) {
    const auto found = given.find(spec.name);
    if (found == given.end() && spec.default_value) given.emplace(spec.name, *spec.default_value);
    if (found == given.end() || spec.kind != ParameterKind::real) continue;
    if (const auto* integer = std::get_if<std::int64_t>(&found->second))
      found->second = static_cast<double>(*integer);
  }
  return given;
}

std::optional<Nanoseconds> parse_duration(std::string_view text) noexcept {
  const auto whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty()) return std::nullopt;
  }
  const auto* const unit = std::ranges::find(units, text, &Unit::name);
  if (whole.empty() || unit == units.end()) return std::nullopt;
  return to_nanoseconds(whole, fraction, unit->nanoseconds);
}

std::string format_duration(Nanoseconds duration) {
  if (duration.count() == 0) return "0s";
  const bool negative = duration.count() < 0;
  const auto count = negative ? 0 - static_cast<std::uint64_t>(duration.count())
                              : static_cast<std::uint64_t>(duration.count());
  std::string shortest;
  for (const auto& unit : units) {
    auto text = exact_decimal(count, unit);
    if (!text.empty() && (shortest.empty() || text.size() < shortest.size())) shortest = std::move(text);
  }
  return negative ? "-" + shortest : shortest;
}

}  // namespace eventspace
