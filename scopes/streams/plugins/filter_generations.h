#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "scopes/streams/plugins/filter_chain.h"

namespace eventspace::streams {

/// The filters of a stream in one process.
struct FilterSet {
  FilterChain up{};
  FilterChain down{};
};

/// Makes filters. Filters in both directions share state (FilterShare). A back-end does not combine packets,
/// so it has no filters for the way up. Throws the error of a filter that cannot be made.
[[nodiscard]] FilterSet make_filters(const std::vector<FilterUse>& up, const std::vector<FilterUse>& down,
                                     bool is_back_end, FilterPlace place);

/// The filters of a stream in one process, and earlier ones that may still have packets.
///
/// Packets that go up name their generation, and all packets of a generation come before the end of the
/// generation. Packets that go down come in the order of their numbers, and the filters of a generation are
/// used from a certain packet on.
///
/// Invariant: there is at least one generation in each direction, and generations ascend. Not thread-safe.
class FilterGenerations {
 public:
  static constexpr std::size_t limit = 8;  ///< generations that are used at a time

  struct Up {
    std::uint32_t generation{1};
    FilterChain chain{};
  };

  FilterGenerations(std::uint32_t generation, FilterSet filters);

  /// These filters are the newest. They are used down from `first_packet` on.
  void add(std::uint32_t generation, FilterSet filters, std::uint64_t first_packet);
  /// Removes the oldest filters for the way up, if they are of this generation and there are newer ones.
  /// Returns them: they may still keep packets.
  [[nodiscard]] std::optional<Up> take_ended(std::uint32_t generation);
  /// Keeps only the newest filters for the way up: the process does not form waves.
  void drop_earlier_up();
  /// A child has joined, or its end-points have changed to these. Passes on exceptions of filters.
  void join(Child child, const RankSet& ranks);

  [[nodiscard]] std::uint32_t newest() const { return up_.back().generation; }
  [[nodiscard]] bool is_full() const noexcept { return up_.size() >= limit; }
  /// The filters of a generation; the oldest ones for a generation that has ended.
  [[nodiscard]] Up& up_of(std::uint32_t generation);
  /// The filters for a packet that goes down. No earlier packet comes after it.
  [[nodiscard]] FilterChain& down_of(std::uint64_t packet);
  [[nodiscard]] std::deque<Up>& all_up() noexcept { return up_; }  ///< oldest first
  [[nodiscard]] const FilterChain& newest_up() const { return up_.back().chain; }
  [[nodiscard]] FilterChain& newest_up() { return up_.back().chain; }
  [[nodiscard]] const FilterChain& newest_down() const { return down_.back().chain; }

 private:
  struct Down {
    std::uint64_t first{0};
    FilterChain chain{};
  };

  std::deque<Up> up_;
  std::deque<Down> down_;
};

}  // namespace eventspace::streams
