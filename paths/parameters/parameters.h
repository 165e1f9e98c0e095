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

// Parameters of wrappers: their values, their specifications, and the checks of values against
// specifications. The functions are thread-safe.
//
//     const std::vector<ParameterSpec> specs{{.name = "for", .kind = ParameterKind::duration}};
//     const Parameters complete = complete_parameters(specs, given, "wrapper delay");
//     const auto delay = optional_parameter<std::chrono::nanoseconds>(complete, "for");

/// The value of a parameter, as in pathmaps: true, 3, 0.5, text, 20ms, [a, b].
using ParameterValue =
    std::variant<bool, std::int64_t, double, std::string, std::chrono::nanoseconds, std::vector<std::string>>;
using Parameters = std::map<std::string, ParameterValue, std::less<>>;

/// The type of a parameter. The order is that of ParameterValue.
enum class ParameterKind : std::uint8_t { boolean, integer, real, text, duration, texts };
std::string_view to_string(ParameterKind kind) noexcept;
std::string to_string(const ParameterValue& value);

/// A fault inside a text, such as an expression, and its byte offset, from 0.
struct TextFault {
  std::size_t offset{0};
  std::string text;
};

/// The specification of one parameter of a wrapper. `eventspace check` checks pathmaps against it.
struct ParameterSpec {
  std::string name;
  ParameterKind kind;
  std::optional<ParameterValue>
      default_value{};  ///< without one, an optional parameter has no value if left out
  bool required{false};
  std::optional<double> least{};  ///< for integer, real and (in seconds) duration; inclusive
  std::optional<double> most{};
  std::vector<std::string> choices{};  ///< for text and texts: the allowed words; empty allows any
  std::string help{};
  /// For text: checks its content and returns a fault, if any. May be empty.
  std::function<std::optional<TextFault>(std::string_view text)> check{};
};

/// A fault of a parameter.
struct ParameterFault {
  std::string parameter;                ///< its name; empty if the fault does not belong to a given parameter
  std::string text;                     ///< for a message
  std::optional<std::size_t> offset{};  ///< of the fault in the parameter's text, if known
};

/// Checks `given` against `specs` and returns all faults: unknown and missing parameters, wrong types (an
/// integer is accepted as a real), values out of range.
std::vector<ParameterFault> check_parameters(const std::vector<ParameterSpec>& specs,
                                             const Parameters& given);

/// Returns `given` with the defaults of `specs` filled in. Throws ConfigurationError with the first fault, if
/// any; the text begins with `owner`.
Parameters complete_parameters(const std::vector<ParameterSpec>& specs, Parameters given,
                               std::string_view owner);

/// Parses a number and a unit without a blank between them: "150ms", "2s", "1.5us", "3min", "10ns". Returns
/// nothing if `text` has another form.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) noexcept;
/// Returns the shortest exact of the forms above.
std::string format_duration(std::chrono::nanoseconds duration);

/// Returns parameter `name` of a complete set. It must be one that the wrapper's specs declare with type T
/// and that has a value: another type throws std::bad_variant_access, a missing parameter is undefined
/// behaviour.
template <class T>
const T& parameter(const Parameters& parameters, std::string_view name) {
  return std::get<T>(parameters.find(name)->second);
}
/// Like parameter, for a parameter without a default: returns nothing if it was not given.
template <class T>
std::optional<T> optional_parameter(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::nullopt;
  return std::get<T>(found->second);
}

}  // namespace eventspace
