#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace eventspace {

inline constexpr std::size_t max_profile_entries = 1 << 20;  ///< of each table of a profile

/// A map of up to `max_entries` entries, which counts the attempts to add others. Not thread-safe.
template <class Key, class Value, std::size_t max_entries = max_profile_entries>
class BoundedMap {
 public:
  /// Returns the value of the key, which is added if there is room; null if not.
  Value* entry(const Key& key) {
    if (entries_.size() >= max_entries && !entries_.contains(key)) {
      ++left_out_;
      return nullptr;
    }
    return &entries_[key];
  }

  [[nodiscard]] const std::map<Key, Value>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::map<Key, Value>& entries() noexcept { return entries_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  std::map<Key, Value> entries_;
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
