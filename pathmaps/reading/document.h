#pragma once

// Private to pathmaps/.

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

/// One "key: value" of a mapping.
struct Entry {
  std::string key;
  Place place;  ///< of the key
  const Value* value;
};

/// A YAML value with its place. Aliases and merge keys are resolved: an alias is the very value of its
/// anchor.
struct Value {
  enum class Kind { null, scalar, sequence, mapping };

  Kind kind{Kind::null};
  Place place;
  std::string text;    ///< of a scalar
  bool quoted{false};  ///< a scalar that can only be text
  std::optional<Place>
      text_place;  ///< where `text` stands letter for letter, in one line; not through escapes
  std::vector<const Value*> items;  ///< of a sequence
  std::vector<Entry> entries;       ///< of a mapping, every key once
  std::size_t weight{1};            ///< how many values it is made of, aliases followed

  [[nodiscard]] const Value* find(std::string_view key) const noexcept;
};

/// "'abc'", "a list", "a mapping" or "nothing", for faults.
std::string describe(const Value& value);

/// Owns the values of all files of a pathmap.
class Document {
 public:
  static constexpr int most_levels = 64;
  static constexpr std::size_t most_values = 200'000;  ///< aliases followed

  /// Parses one YAML document. Null, with at least one fault, when it is no YAML or beyond the limits
  /// above; duplicate keys, odd keys and tags are faults too, but the rest can be used. Takes time and
  /// memory in proportion to the limits at most, whatever the text. `file` is its number in `faults`.
  const Value* parse(std::string_view yaml, std::size_t file, Faults& faults);

  Value& add(Value value) { return values_.emplace_back(std::move(value)); }

 private:
  std::deque<Value> values_;
};

}  // namespace eventspace::reading
