#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "collectors/record_header.h"
#include "paths/views/records.h"

namespace eventspace {

/// Finds the events of a view that were already in an earlier view that did not arrive. An operator that has
/// taken them must not take them again. Not thread-safe.
class RepeatedEvents {
 public:
  /// The last view arrived: its events are not sent again.
  void forget() { seen_.clear(); }
  /// Drops the events that were noted since forget(). Returns the number of dropped records.
  std::size_t drop_from(Records& records);
  void note(std::span<const TraceTuple> records);

 private:
  /// A trace element: its path, and the point on it.
  using Element = std::pair<std::uint32_t, std::uint16_t>;
  struct Last {
    std::uint64_t sequence{0};
    std::uint64_t end{0};
  };
  static Element element_of(const RecordHeader& header) noexcept { return {header.path, header.point}; }

  std::map<Element, Last> seen_;
};

}  // namespace eventspace
