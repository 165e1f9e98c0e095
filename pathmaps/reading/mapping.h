#pragma once

#include <array>
#include <span>
#include <utility>

#include "pathmaps/reading/document.h"
#include "pathmaps/reading/keys.h"
#include "pathmaps/reading/scalars.h"

namespace eventspace::reading {

/// Reads a mapping of a pathmap key by key. The constructor checks it against its shape and reports a value
/// that is not a mapping, unknown keys, and missing required keys. The functions that read a key return
/// nothing if the mapping does not have it; if its value is wrong, they also report a fault.
///
/// Refers to the value, the shape and the faults, which must outlive it.
class Mapping {
 public:
  /// A null `value` is treated as an empty mapping and reports no faults.
  Mapping(const Value* value, const Shape& shape, Faults& faults);

  /// Returns the value of `key`; null if the key is missing or has no value. REQUIRES: the shape has the key.
  [[nodiscard]] const Value* find(std::string_view key) const;
  /// Returns true if the value of `key` is an empty list or an empty mapping.
  [[nodiscard]] bool is_empty(std::string_view key) const;
  /// Returns the place of the value of `key`, or of the mapping if the key is missing.
  [[nodiscard]] Place place(std::string_view key) const;
  [[nodiscard]] Place place() const { return value_ != nullptr ? value_->place : Place{}; }

  [[nodiscard]] std::optional<Word> word(std::string_view key) const;
  /// Like read_words, at most 10,000 words. Empty if the key is missing.
  [[nodiscard]] std::vector<Word> words(std::string_view key) const;
  /// Like words, but distinguishes a missing key (nothing) from an empty list.
  [[nodiscard]] std::optional<std::vector<Word>> words_if_given(std::string_view key) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, IntegerRange range) const;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> duration(std::string_view key,
                                                                 DurationRange range) const;
  [[nodiscard]] std::optional<std::int64_t> bytes(std::string_view key, IntegerRange range) const;

  /// Returns the values of a list of at most 10,000 values. Empty if the key is missing.
  [[nodiscard]] std::span<const Value* const> items(std::string_view key) const;
  /// Returns the entries of a mapping whose keys are names chosen by the user.
  [[nodiscard]] std::span<const Entry> entries(std::string_view key) const;

  /// Returns the second value of the pair in `choices` whose word is the value of `key`.
  template <class T, std::size_t N>
  [[nodiscard]] std::optional<T> choice(std::string_view key,
                                        const std::array<std::pair<std::string_view, T>, N>& choices) const {
    const auto given = word(key);
    return given ? choose(*given, key, choices) : std::nullopt;
  }
  template <class T, std::size_t N>
  [[nodiscard]] std::optional<T> choose(const Word& given, std::string_view key,
                                        const std::array<std::pair<std::string_view, T>, N>& choices) const {
    std::vector<std::string_view> allowed;
    for (const auto& [name, result] : choices) {
      if (name == given.text) return result;
      allowed.push_back(name);
    }
    fault_choice(given, key, allowed);
    return std::nullopt;
  }

  [[nodiscard]] Faults& faults() const noexcept { return *faults_; }

 private:
  void check_keys(const Shape& shape) const;
  void fault_choice(const Word& given, std::string_view key, std::span<const std::string_view> allowed) const;
  void fault_kind(const Value& value, std::string_view key, std::string_view expected) const;

  const Value* value_;
  [[maybe_unused]] const Shape* shape_;  // used by assertions only
  Faults* faults_;
};

/// Reports the keys of `value` that `shape` does not have. At the top of a pathmap, private_prefix is
/// allowed.
void check_known(const Value& value, const Shape& shape, Faults& faults);

}  // namespace eventspace::reading
