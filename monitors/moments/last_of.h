#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "monitors/moments/moment.h"

namespace eventspace {

/// The known time at which one participant came.
struct Coming {
  std::size_t who{0};
  std::optional<Moment> at;         ///< nullopt: unknown...
  std::optional<Moment> not_after;  ///< ...but not after this, if set
};

/// Which participant came last. A participant is excluded only if another certainly came later, so the name
/// is never wrong.
struct LastOf {
  /// All participants that may have been last, the likeliest first. A single one was certainly last; several
  /// cannot be distinguished.
  std::vector<std::size_t> candidates;
  /// When all had come; nullopt if unknown.
  std::optional<Moment> all_here;
  /// The time until then from the arrival of the second to last, the median and the first participant.
  /// Nullopt unless the times of all are known; `after_second` also if there is only one participant.
  std::optional<Difference> after_second{};
  std::optional<Difference> after_median{};
  std::optional<Difference> after_first{};

  [[nodiscard]] std::optional<std::size_t> name() const noexcept {
    return candidates.size() == 1 ? std::optional(candidates.front()) : std::nullopt;
  }
};

[[nodiscard]] LastOf last_of(const std::vector<Coming>& all);

}  // namespace eventspace
