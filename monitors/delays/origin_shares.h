#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace eventspace {

/// An amount of waiting in nanoseconds, divided among the threads that caused it. Keeps the `most` largest
/// shares; the rest belongs to `unknown`. A plain value. Not thread-safe.
class OriginShares {
 public:
  static constexpr std::size_t most = 64;
  /// Represents a thread that cannot be named, because records are missing.
  static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
  /// Represents the time before a thread first met the thread for which it waits: it is not counted.
  static constexpr std::uint32_t earlier = unknown - 1;
  using Entry = std::pair<std::uint32_t, double>;  ///< thread, nanoseconds

  void add(std::uint32_t origin, double ns);
  [[nodiscard]] double of(std::uint32_t origin) const noexcept;
  [[nodiscard]] double all() const noexcept;
  /// The amounts added since `before`, an earlier value of the same object. Shares that were dropped since
  /// count as 0.
  [[nodiscard]] OriginShares since(const OriginShares& before) const;
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }  ///< by thread

 private:
  void make_room();

  std::vector<Entry> entries_;
};

}  // namespace eventspace
