#pragma once

// Private to collectors/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace eventspace {

/// How often a thread has passed each of its probes. Counting is a look into a table and an addition; it
/// never waits or fails. The first passage of a name may allocate. Not thread-safe.
class PassageCounts {
 public:
  /// Counts a passage of the probe with this number of a name. Returns how many there were before; none if
  /// there is no memory for the count: then there is none for any later passage of this name either.
  std::optional<std::uint64_t> next(std::uint32_t name) noexcept {
    if (!places_.empty()) [[likely]] {
      Place& place = place_of(name);
      if (place.name == name && place.is_used) [[likely]]
        return place.passages++;
    }
    return first_of(name);
  }

 private:
  struct Place {
    std::uint64_t passages{0};
    std::uint32_t name{0};
    bool is_used{false};
  };

  /// The place of a name, or the free one that it would get. There is always a free one.
  [[nodiscard]] Place& place_of(std::uint32_t name) noexcept {
    std::size_t at = name & (places_.size() - 1);
    while (places_[at].is_used && places_[at].name != name) at = (at + 1) & (places_.size() - 1);
    return places_[at];
  }
  std::optional<std::uint64_t> first_of(std::uint32_t name) noexcept;
  void grow();

  std::vector<Place> places_;  // a power of two, at most half of them used
  std::size_t used_{0};
  bool has_failed_{false};  // there was no memory: no new name is counted any more
};

}  // namespace eventspace
