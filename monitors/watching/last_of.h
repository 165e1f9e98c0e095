#pragma once

// Private to monitors/.

#include <cstddef>
#include <optional>
#include <vector>

#include "monitors/watching/moment.h"

namespace eventspace {

/// Somebody's coming, as far as it is known when that was.
struct Coming {
  std::size_t who{0};
  std::optional<Moment> at;         ///< nothing: not known...
  std::optional<Moment> not_after;  ///< ...but then, perhaps
};

/// Who came last. Never a wrong name: somebody is left out only if somebody else certainly came later.
struct LastOf {
  /// All who may have been last, the likeliest first. One: that one was. More: they cannot be told apart.
  std::vector<std::size_t> candidates;
  /// When all had come; nothing while nobody's time is known.
  std::optional<Moment> all_here;
  /// From the second to come last, from the one in the middle and from the first until then. Nothing unless
  /// it is known of all when they came; nor is there a second of one.
  std::optional<Difference> after_second{};
  std::optional<Difference> after_median{};
  std::optional<Difference> after_first{};

  [[nodiscard]] std::optional<std::size_t> name() const noexcept {
    return candidates.size() == 1 ? std::optional(candidates.front()) : std::nullopt;
  }
};

[[nodiscard]] LastOf last_of(const std::vector<Coming>& all);

}  // namespace eventspace
