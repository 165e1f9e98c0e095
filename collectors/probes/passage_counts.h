#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace eventspace {

/// Counts how often a thread has passed each of its probes, for the first `max_names` names. Counting is a
/// lookup in a table of fixed size and an addition: it never waits, allocates or fails. Not thread-safe.
class PassageCounts {
 public:
  static constexpr std::size_t max_names = 768;

  /// Counts a passage of the probe with this number of a name. Returns the earlier passages; nullopt for a
  /// name that came after `max_names` others.
  std::optional<std::uint64_t> next(std::uint32_t name) noexcept {
    std::size_t at = name % places_.size();
    while (places_[at].is_used) {
      if (places_[at].name == name) [[likely]]
        return places_[at].passages++;
      at = (at + 1) % places_.size();
    }
    if (used_ == max_names) return std::nullopt;
    ++used_;
    places_[at] = {1, name, true};
    return 0;
  }

 private:
  struct Place {
    std::uint64_t passages{0};
    std::uint32_t name{0};
    bool is_used{false};
  };

  std::array<Place, 1024> places_;  // a power of two, a quarter of it always free
  std::size_t used_{0};
};

}  // namespace eventspace
