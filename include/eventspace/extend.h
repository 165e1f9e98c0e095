#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The common basis of all extensions: parameters, which pathmaps and programs give to a part that they name;
/// registries, in which parts have their names; and the beginning of the interface of shared objects.
namespace eventspace {

// --- parameters

// Their values, their specifications, and the checks of values against specifications. The functions are
// thread-safe.
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

// --- registries

namespace registry {

/// Throws ConfigurationError: "a path wrapper named 'delay' is registered already".
[[noreturn]] void refuse_duplicate(std::string_view kind, std::string_view name);
/// "unknown NOUN 'delya'; did you mean 'delay'?; known: ..."
std::string unknown_text(std::string_view noun, std::string_view name,
                         const std::vector<std::string_view>& known);

/// Returns the entry with this name; null if there is none.
template <class Entries>
const typename Entries::value_type* find_named(const Entries& entries, std::string_view name) noexcept {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [name](const auto& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace registry

/// The entries of one kind that pathmaps and programs use by name: path wrappers, scope wrappers, path
/// generators, ways to combine fields, filters of streams. An Entry has a public member `name`. Entries keep
/// the order in which they are added, the built-in ones first, and their addresses.
///
/// Thread-safety: any number of threads may look up. Add entries at program start, before a pathmap is read
/// and before other threads look up.
///
///     FilterRegistry::instance().add({.name = "count", .help = "counts packets", .make = make_count});
template <class Entry>
class Registry {
 public:
  /// `kind` is for errors about this registry: "path wrapper".
  Registry(std::string kind, std::initializer_list<Entry> built_in) : kind_(std::move(kind)) {
    for (const Entry& entry : built_in) add(entry);
  }
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Throws ConfigurationError, and adds nothing, if the name is registered already.
  void add(Entry entry) {
    if (find(entry.name) != nullptr) registry::refuse_duplicate(kind_, entry.name);
    entries_.push_back(std::move(entry));
  }

  /// Returns null for an unknown name. The pointer stays valid.
  [[nodiscard]] const Entry* find(std::string_view name) const noexcept {
    return registry::find_named(entries_, name);
  }
  /// All entries, in the order in which they were added.
  [[nodiscard]] const std::deque<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

  /// The text of an error about an unknown name, with the nearest known name and all known names: "unknown
  /// NOUN 'NAME'; did you mean 'X'?; known: X, Y". `noun` is the pathmap's word for an entry.
  [[nodiscard]] std::string unknown(std::string_view noun, std::string_view name) const {
    std::vector<std::string_view> known;
    for (const Entry& entry : entries_) known.push_back(entry.name);
    return registry::unknown_text(noun, name, known);
  }

 private:
  std::string kind_;
  std::deque<Entry> entries_;
};

}  // namespace eventspace

// --- shared objects

/// The common part of the interfaces of all shared objects that EventSpace loads: scope wrappers and filters
/// of streams. A shared object has an entry point, which returns a table of functions. The table begins with
/// the version of its interface and a description of the C++ library and of the layout of the types that both
/// sides exchange; the loader compares both before it uses anything else. Exceptions do not cross the
/// interface.
namespace eventspace::plugin {

/// The buffer in which a function of a table returns the text of an exception, cut to `room` bytes.
struct ErrorText {
  char* text;
  std::size_t room;
};

/// The first members of every table, in all versions.
struct TableHead {
  std::uint32_t abi;
  const char* built_with;
};

#if defined(_GLIBCXX_USE_CXX11_ABI)
inline constexpr const char* cxx_library = "libstdc++";
inline constexpr int cxx_library_abi = _GLIBCXX_USE_CXX11_ABI;
#else
inline constexpr const char* cxx_library = "another C++ library";
inline constexpr int cxx_library_abi = 0;
#endif

/// Returns the result of `work`; if it throws, returns `otherwise`, and the exception's text in `error`.
template <class Work, class Result>
Result guarded(Work work, Result otherwise, ErrorText error) noexcept {
  try {
    return work();
  } catch (const std::exception& thrown) {
    std::snprintf(error.text, error.room, "%s", thrown.what());
  } catch (...) {
    std::snprintf(error.text, error.room, "an exception that is not a std::exception");
  }
  return otherwise;
}

/// Runs `work`; returns whether it did not throw.
template <class Work>
bool succeeds(Work work, ErrorText error) noexcept {
  return guarded(
      [&] {
        work();
        return true;
      },
      false, error);
}

}  // namespace eventspace::plugin
