#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pathmaps/reading/faults.h"

namespace eventspace::reading {

/// The names of one kind of object in a pathmap (threads, nodes ...) with their places, numbered from 0 in
/// the order in which they are added. The functions that take Faults report a fault when they return nothing.
class NameIndex {
 public:
  /// `kind` is the noun in faults: "thread", "node" ...
  explicit NameIndex(std::string kind) : kind_(std::move(kind)) {}

  /// Adds a name and returns its number. Nothing if the name exists already.
  std::optional<std::size_t> add(const Word& name, Faults& faults);

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  /// Like find, but reports an unknown name, together with the most similar known one.
  std::optional<std::size_t> require(const Word& name, Faults& faults) const;
  /// Returns the numbers of all names that match `glob`, ascending. Empty, with a fault, if the glob is
  /// malformed or does not match any name. Also reports a fault if a range in it has numbers that no name
  /// has.
  std::vector<std::size_t> select(const Word& glob, Faults& faults) const;
  /// Returns the numbers of all names that match any of `globs`, each number once.
  std::vector<std::size_t> select(const std::vector<Word>& globs, Faults& faults) const;

  /// Like the above. Returns all numbers if `globs` is not given.
  std::vector<std::size_t> select(const std::optional<std::vector<Word>>& globs, Faults& faults) const;

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] const std::string& name(std::size_t number) const { return names_.at(number).text; }
  [[nodiscard]] const Place& place(std::size_t number) const { return names_.at(number).place; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  void fault_unknown(const Word& name, std::string_view text, Faults& faults) const;

  std::string kind_;
  std::vector<Word> names_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
};

/// Returns true if `glob` is well-formed; otherwise reports a fault.
bool check_glob(const Word& glob, Faults& faults);

/// Reports a fault if a range in `glob` has a number that none of the matching `names` has. `of` is the noun
/// for them: "thread".
void check_ranges(const Word& glob, const std::vector<std::string_view>& names, std::string_view of,
                  Faults& faults);

/// Returns true if any of `globs` matches `text`.
bool any_match(const std::vector<Word>& globs, std::string_view text);

}  // namespace eventspace::reading
