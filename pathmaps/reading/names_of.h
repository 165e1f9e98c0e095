#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pathmaps/plan/index.h"
#include "pathmaps/reading/name_index.h"

namespace eventspace::reading {

/// A NameIndex whose numbers are indexes into one vector of the plan. Names must be added in the order in
/// which the entries are added to that vector.
template <class Part>
class NamesOf {
 public:
  using PartIndex = Index<Part>;

  /// `kind` is the noun in faults: "thread", "node" ...
  explicit NamesOf(std::string kind) : names_(std::move(kind)) {}

  /// These functions do the same as in NameIndex.
  std::optional<PartIndex> add(const Word& name, Faults& faults) { return typed(names_.add(name, faults)); }
  [[nodiscard]] std::optional<PartIndex> find(std::string_view name) const {
    return typed(names_.find(name));
  }
  std::optional<PartIndex> require(const Word& name, Faults& faults) const {
    return typed(names_.require(name, faults));
  }
  std::vector<PartIndex> select(const Word& glob, Faults& faults) const {
    return typed(names_.select(glob, faults));
  }
  std::vector<PartIndex> select(const std::vector<Word>& globs, Faults& faults) const {
    return typed(names_.select(globs, faults));
  }
  std::vector<PartIndex> select(const std::optional<std::vector<Word>>& globs, Faults& faults) const {
    return typed(names_.select(globs, faults));
  }
  [[nodiscard]] const std::string& name(PartIndex index) const { return names_.name(index.number()); }
  [[nodiscard]] const Place& place(PartIndex index) const { return names_.place(index.number()); }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] IndexRange<Part> indices() const noexcept { return {PartIndex(0), PartIndex(size())}; }

  /// Returns the same names with plain numbers.
  [[nodiscard]] const NameIndex& plain() const noexcept { return names_; }

 private:
  static std::optional<PartIndex> typed(std::optional<std::size_t> number) {
    return number ? std::optional(PartIndex(*number)) : std::nullopt;
  }
  static std::vector<PartIndex> typed(const std::vector<std::size_t>& numbers) {
    return {numbers.begin(), numbers.end()};
  }

  NameIndex names_;
};

}  // namespace eventspace::reading
