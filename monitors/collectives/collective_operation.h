#pragma once

// Private to monitors/.

#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/collectives/collective_shape.h"

namespace eventspace {

/// The records of one collective operation, as far as they have come. Pure. Not thread-safe.
class CollectiveOperation {
 public:
  /// `shape` must outlive it.
  CollectiveOperation(const CollectiveShape& shape, std::uint64_t number);

  /// False when it was known already. What has ended replaces what was under way.
  bool add(const EdgeRecord& record);
  /// False when it, or any of the records that it stands for, was known already.
  bool add(const ProcessPart& part);

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Null while nothing is known of it.
  [[nodiscard]] const EdgeRecord* find(std::size_t edge, EdgeEnd at) const noexcept;
  /// Whether a part stands for the records of `edge`.
  [[nodiscard]] bool is_in_part(std::size_t edge) const noexcept;
  [[nodiscard]] const std::vector<ProcessPart>& parts() const noexcept { return parts_; }
  /// Ends of edges with records of which none has come that has ended.
  [[nodiscard]] std::size_t missing() const noexcept { return missing_; }
  /// Whether somebody has the result: then all have contributed.
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  /// Whether somebody was told that there will be none.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 private:
  const CollectiveShape* shape_;
  std::uint64_t number_;
  std::size_t missing_;
  bool ended_{false};
  bool failed_{false};
  std::vector<std::optional<EdgeRecord>> records_;  // two for each edge
  std::vector<ProcessPart> parts_;
};

}  // namespace eventspace
