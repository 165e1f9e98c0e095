#pragma once

// Private to pathmaps/.

#include <array>
#include <span>
#include <utility>

#include "pathmaps/reading/document.h"
#include "pathmaps/reading/keys.h"
#include "pathmaps/reading/scalars.h"

namespace eventspace::reading {

/// A mapping of a pathmap, read key by key. Construction holds it against its shape: a value that is no
/// mapping, unknown keys and required keys that are not there are faults. Every reader gives nothing when the
/// key is not there, and nothing with a fault when its value is wrong. A view: the value, the shape and
/// the faults must outlive it.
class Mapping {
 public:
  /// `value` may be null: an empty mapping, without faults.
  Mapping(const Value* value, const Shape& shape, Faults& faults);

  /// The value of `key`; null when it is not there or left empty. The shape must have the key.
  [[nodiscard]] const Value* find(std::string_view key) const;
  /// Whether it is a list or a mapping with nothing in it.
  [[nodiscard]] bool is_empty(std::string_view key) const;
  /// Where the value of `key` stands, or the mapping when it is not there.
  [[nodiscard]] Place place(std::string_view key) const;
  [[nodiscard]] Place place() const { return value_ != nullptr ? value_->place : Place{}; }

  [[nodiscard]] std::optional<Word> word(std::string_view key) const;
  /// As read_words, at most 10,000; empty when the key is not there.
  [[nodiscard]] std::vector<Word> words(std::string_view key) const;
  /// As words, but nothing when the key is not there.
  [[nodiscard]] std::optional<std::vector<Word>> words_if_given(std::string_view key) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, IntegerRange range) const;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> duration(std::string_view key,
                                                                 DurationRange range) const;
  [[nodiscard]] std::optional<std::int64_t> bytes(std::string_view key, IntegerRange range) const;

  /// The values of a list, which may have 10,000 at most; empty when the key is not there.
  [[nodiscard]] std::span<const Value* const> items(std::string_view key) const;
  /// The entries of a mapping from names.
  [[nodiscard]] std::span<const Entry> entries(std::string_view key) const;

  /// The value that goes with the word of `key`.
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
  [[maybe_unused]] const Shape* shape_;  // for an assertion
  Faults* faults_;
};

/// Reports entries of `value` that `shape` does not know; keys with the private prefix pass at the top.
void check_known(const Value& value, const Shape& shape, Faults& faults);

}  // namespace eventspace::reading
