#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "monitors/collectives/collective_shape.h"

namespace eventspace {

/// The records of one collective operation that have arrived so far. Pure. Not thread-safe.
class CollectiveOperation {
 public:
  /// `shape` must outlive it.
  CollectiveOperation(const CollectiveShape& shape, std::uint64_t number);

  /// Returns false if the record was already known. A record that has ended replaces one under way.
  bool add(const EdgeRecord& record);
  /// Returns false if the part, or any record that it represents, was already known.
  bool add(const ProcessPart& part);

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// The record of this end of `edge`; null if none has arrived.
  [[nodiscard]] const EdgeRecord* find(std::size_t edge, EdgeEnd at) const noexcept;
  /// Whether a part stands for the records of `edge`.
  [[nodiscard]] bool is_in_part(std::size_t edge) const noexcept;
  [[nodiscard]] const std::vector<ProcessPart>& parts() const noexcept { return parts_; }
  /// The number of recorded ends of edges whose ended record has not arrived.
  [[nodiscard]] std::size_t missing() const noexcept { return missing_; }
  /// Whether a participant has the result, which means that all have contributed.
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  /// Whether the operation failed for a participant, so that there is no result.
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
