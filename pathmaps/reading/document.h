#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/reading/faults.h"
#include "pathmaps/reading/place.h"

namespace eventspace::reading {

struct Value;

/// A "key: value" pair of a mapping.
struct Entry {
  std::string key;
  Place place;  ///< of the key
  const Value* value;
};

/// A YAML value with its place in the file. Aliases and merge keys are resolved: an alias points to the same
/// Value object as its anchor.
struct Value {
  enum class Kind { null, scalar, sequence, mapping };

  Kind kind{Kind::null};
  Place place;
  std::string text;                 ///< of a scalar
  bool quoted{false};               ///< a quoted scalar, which is text even if it looks like a number
  std::optional<Place> text_place;  ///< set if `text` is in one line of the file, without escapes
  std::vector<const Value*> items;  ///< of a sequence
  std::vector<Entry> entries;       ///< of a mapping; each key occurs once
  std::size_t weight{1};            ///< number of values in it, itself included, aliases followed

  [[nodiscard]] const Value* find(std::string_view key) const noexcept;
};

/// Describes a value for faults: "'abc'", "a list", "a mapping" or "nothing".
std::string describe(const Value& value);

/// Owns the values of all files of a pathmap. Pointers to values are valid as long as the document. Not
/// thread-safe.
class Document {
 public:
  static constexpr int max_levels = 64;
  static constexpr std::size_t max_values = 200'000;  ///< aliases followed

  /// Parses a text that holds one YAML document; returns its root. `file` is the number of the file in
  /// `faults`.
  ///
  /// Returns null, and reports at least one fault, if the text is not YAML or exceeds the limits above.
  /// Duplicate keys, keys that are not words, and tags are also faults, but the returned value is usable, so
  /// the caller can find more faults. Time and memory are bounded by the limits, for any text.
  const Value* parse(std::string_view yaml, std::size_t file, Faults& faults);

  Value& add(Value value) { return values_.emplace_back(std::move(value)); }

 private:
  std::deque<Value> values_;
};

}  // namespace eventspace::reading
