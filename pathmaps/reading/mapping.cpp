#include "pathmaps/reading/mapping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "paths/parameters/nearest.h"

namespace eventspace::reading {

namespace {

constexpr std::size_t max_items = 10'000;

bool knows(const Shape& shape, std::string_view key) {
  return std::ranges::find(shape.keys, key, &Key::name) != shape.keys.end();
}

std::vector<std::string_view> names_of(const Shape& shape) {
  std::vector<std::string_view> names;
  for (const auto& key : shape.keys) names.push_back(key.name);
  return names;
}

}  // namespace

void check_known(const Value& value, const Shape& shape, Faults& faults) {
  for (const auto& entry : value.entries) {
    if (knows(shape, entry.key)) continue;
    if (&shape == &pathmap_shape && entry.key.starts_with(private_prefix)) continue;
    faults.add(entry.place, fmt::format("unknown key '{}' in {}{}", entry.key, shape.name,
                                        hint(entry.key, names_of(shape))));
  }
}

Mapping::Mapping(const Value* value, const Shape& shape, Faults& faults)
    : value_(value), shape_(&shape), faults_(&faults) {
  if (value_ == nullptr) return;
  if (value_->kind == Value::Kind::mapping) {
    check_keys(shape);
    return;
  }
  faults_->add(value_->place, fmt::format("found {} for {}; expected a mapping with {}", describe(*value_),
                                          shape.name, fmt::join(names_of(shape), ", ")));
  value_ = nullptr;
}

void Mapping::check_keys(const Shape& shape) const {
  check_known(*value_, shape, *faults_);
  for (const auto& key : shape.keys) {
    if (key.required && find(key.name) == nullptr)
      faults_->add(place(key.name), fmt::format("{} lacks the required key '{}'", shape.name, key.name));
  }
}

const Value* Mapping::find(std::string_view key) const {
  assert(knows(*shape_, key) && "a key that the shape does not list");
  const auto* const found = value_ != nullptr ? value_->find(key) : nullptr;
  return found != nullptr && found->kind == Value::Kind::null ? nullptr : found;
}

bool Mapping::is_empty(std::string_view key) const {
  const auto* const value = find(key);
  return value != nullptr && value->kind != Value::Kind::scalar && value->items.empty() &&
         value->entries.empty();
}

Place Mapping::place(std::string_view key) const {
  const auto* const found = value_ != nullptr ? value_->find(key) : nullptr;
  return found != nullptr ? found->place : place();
}

std::optional<Word> Mapping::word(std::string_view key) const {
  const auto* const value = find(key);
  return value != nullptr ? read_word(*value, key, *faults_) : std::nullopt;
}

std::vector<Word> Mapping::words(std::string_view key) const {
  const auto* const value = find(key);
  if (value == nullptr) return {};
  if (value->items.size() <= max_items) return read_words(*value, key, *faults_);
  fault_kind(*value, key, fmt::format("a list of at most {}", max_items));
  return {};
}

std::optional<std::vector<Word>> Mapping::words_if_given(std::string_view key) const {
  if (find(key) == nullptr) return std::nullopt;
  return words(key);
}

std::optional<bool> Mapping::boolean(std::string_view key) const {
  const auto* const value = find(key);
  return value != nullptr ? read_boolean(*value, key, *faults_) : std::nullopt;
}

std::optional<std::int64_t> Mapping::integer(std::string_view key, IntegerRange range) const {
  const auto* const value = find(key);
  return value != nullptr ? read_integer(*value, key, range, *faults_) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> Mapping::duration(std::string_view key, DurationRange range) const {
  const auto* const value = find(key);
  return value != nullptr ? read_duration(*value, key, range, *faults_) : std::nullopt;
}

std::optional<std::int64_t> Mapping::bytes(std::string_view key, IntegerRange range) const {
  const auto* const value = find(key);
  return value != nullptr ? read_bytes(*value, key, range, *faults_) : std::nullopt;
}

std::span<const Value* const> Mapping::items(std::string_view key) const {
  const auto* const value = find(key);
  if (value == nullptr) return {};
  if (value->kind == Value::Kind::sequence && value->items.size() <= max_items) return value->items;
  fault_kind(*value, key, fmt::format("a list of at most {}", max_items));
  return {};
}

std::span<const Entry> Mapping::entries(std::string_view key) const {
  const auto* const value = find(key);
  if (value == nullptr) return {};
  if (value->kind == Value::Kind::mapping) return value->entries;
  fault_kind(*value, key, "a mapping from names");
  return {};
}

void Mapping::fault_choice(const Word& given, std::string_view key,
                           std::span<const std::string_view> allowed) const {
  const auto meant = nearest(given.text, allowed);
  faults_->add(given.place, fmt::format("found '{}' for '{}'{}; allowed: {}", given.text, key,
                                        meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant),
                                        fmt::join(allowed, ", ")));
}

void Mapping::fault_kind(const Value& value, std::string_view key, std::string_view expected) const {
  faults_->add(value.place, fmt::format("found {} for '{}'; expected {}", describe(value), key, expected));
}

}  // namespace eventspace::reading
