#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// The read positions of all trace elements of a scope, collected from its views; each view contains only the
/// positions that it has changed. Reading can be resumed from them. Not thread-safe.
class ReadPositions {
 public:
  ReadPositions() = default;
  explicit ReadPositions(const std::vector<ReadPosition>& positions) { take(positions); }

  /// Records positions; each replaces the earlier one of its trace element. Forgets positions of processes
  /// that are over.
  void take(const std::vector<ReadPosition>& positions);
  /// Returns null if that trace element was not in any view. The pointer is valid until the next take().
  [[nodiscard]] const ReadPosition* find(std::uint32_t process, std::uint32_t trace) const;
  /// The position of each trace element, sorted by process and trace element.
  [[nodiscard]] std::vector<ReadPosition> list() const;

 private:
  std::unordered_map<std::uint64_t, ReadPosition> positions_;  // by process and trace element
};

}  // namespace eventspace
