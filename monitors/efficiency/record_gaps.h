#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "collectors/record_header.h"

namespace eventspace::efficiency {

/// Finds records that are missing between others, from the numbers of the records of each trace element.
/// Pure. Not thread-safe.
class RecordGaps {
 public:
  static constexpr std::size_t max_elements = 1 << 20;  ///< in others, no gaps are found

  /// The first record of an event, whose last record ended at `end_ns`. `is_counted`: whether a gap before it
  /// counts.
  void add(const RecordHeader& first, std::uint32_t process, std::int64_t begin_ns, std::int64_t end_ns,
           bool is_counted);

  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  /// The time in which they are missing, of all threads together.
  [[nodiscard]] std::int64_t time_ns() const noexcept { return time_ns_; }

 private:
  struct Element {
    std::uint64_t sequence{0};
    std::int64_t end_ns{0};
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, Element> elements_;  // by path and point, and process
  std::uint64_t records_{0};
  std::int64_t time_ns_{0};
};

}  // namespace eventspace::efficiency
