#pragma once

// Private to pathmaps/.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pathmaps/reading/faults.h"

namespace eventspace::reading {

/// The names of one kind of thing (threads, nodes ...), numbered from 0 in the order in which they are
/// given, each with the place where it was.
class NameIndex {
 public:
  /// `kind` is for faults: "thread", "node" ...
  explicit NameIndex(std::string kind) : kind_(std::move(kind)) {}

  /// The new name's number; nothing, and a fault, when it is taken.
  std::optional<std::size_t> add(const Word& name, Faults& faults);

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  /// As find; a fault, with what may have been meant, when there is none.
  std::optional<std::size_t> require(const Word& name, Faults& faults) const;
  /// The numbers of all names that match a glob, ascending; a fault when it is malformed or matches none.
  std::vector<std::size_t> select(const Word& glob, Faults& faults) const;
  /// As select for each of `globs`; a name that several match counts once.
  std::vector<std::size_t> select(const std::vector<Word>& globs, Faults& faults) const;

  /// As select, or all numbers when there are no globs.
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

/// False, with a fault, for a malformed glob.
bool check_glob(const Word& glob, Faults& faults);

/// Whether any of `globs` matches.
bool any_match(const std::vector<Word>& globs, std::string_view text);

}  // namespace eventspace::reading
