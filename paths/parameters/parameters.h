#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eventspace {

/// The value of a wrapper's parameter, as a pathmap spells it: true, 3, 0.5, text, 20ms, [a, b].
using ParameterValue =
    std::variant<bool, std::int64_t, double, std::string, std::chrono::nanoseconds, std::vector<std::string>>;
using Parameters = std::map<std::string, ParameterValue, std::less<>>;

/// Order as in ParameterValue.
enum class ParameterKind : std::uint8_t { boolean, integer, real, text, duration, texts };
std::string_view to_string(ParameterKind kind) noexcept;
std::string to_string(const ParameterValue& value);

/// What is wrong inside a text, such as an expression, and at which of its bytes, from 0.
struct TextFault {
  std::size_t offset{0};
  std::string text;
};

/// What a wrapper says of one of its parameters; `eventspace check` holds pathmaps against it.
struct ParameterSpec {
  std::string name;
  ParameterKind kind;
  std::optional<ParameterValue> default_value{};  ///< nothing: the parameter may be left out, with no value
  bool required{false};
  std::optional<double> least{};  ///< for integer and real; for duration in seconds
  std::optional<double> most{};
  std::vector<std::string> choices{};  ///< for text and texts: the allowed words; empty allows any
  std::string help{};
  /// For text: looks into it; nothing when all is well.
  std::function<std::optional<TextFault>(std::string_view text)> check{};
};

/// What is wrong with a parameter: which one (empty when about none in particular), and the text.
struct ParameterFault {
  std::string parameter;
  std::string text;
  std::optional<std::size_t> offset{};  ///< of the fault in the parameter's text, where that is known
};

/// Holds `given` against `specs`: unknown names, missing ones, wrong kinds (an integer serves as a real),
/// values out of range. All faults, none when all is well.
std::vector<ParameterFault> check_parameters(const std::vector<ParameterSpec>& specs,
                                             const Parameters& given);

/// `given` with the defaults of `specs` filled in. Throws ConfigurationError naming `owner` for the first
/// fault.
Parameters complete_parameters(const std::vector<ParameterSpec>& specs, Parameters given,
                               std::string_view owner);

/// "150ms", "2s", "1.5us", "3min", "10ns": a number and a unit, no blank between; nothing when it is not one.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) noexcept;
std::string format_duration(std::chrono::nanoseconds duration);  ///< the shortest exact of the forms above

/// Parameter `name` of a completed set. Throws std::bad_variant_access or std::out_of_range when a wrapper
/// asks for what its own specs do not declare.
template <class T>
const T& parameter(const Parameters& parameters, std::string_view name) {
  return std::get<T>(parameters.find(name)->second);
}
template <class T>
std::optional<T> optional_parameter(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::nullopt;
  return std::get<T>(found->second);
}

}  // namespace eventspace
