#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// How far the trace elements of a scope were read, put together from what its views tell of those that they
/// moved on. Not thread-safe.
class ReadPositions {
 public:
  ReadPositions() = default;
  explicit ReadPositions(const std::vector<ReadPosition>& positions) { take(positions); }

  /// Each replaces what was known of its trace element.
  void take(const std::vector<ReadPosition>& positions);
  /// Null when nothing was told of that trace element.
  [[nodiscard]] const ReadPosition* find(std::uint32_t process, std::uint32_t trace) const;
  /// One of each trace element, in the order of processes and trace elements.
  [[nodiscard]] std::vector<ReadPosition> list() const;

 private:
  std::unordered_map<std::uint64_t, ReadPosition> positions_;  // by process and trace element
};

}  // namespace eventspace
