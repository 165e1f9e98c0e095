#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "scopes/tree/local_ids.h"

namespace eventspace {

/// Gives numbers of one range to dynamic processes.
///
/// A number is computed from the process's id and the time at which it made its segment; if it is taken, the
/// next free one is used. So all readers of a node, and a restarted server, usually give a process the same
/// number. There are exceptions, so a reader that continues reading passes on the number that the process had
/// before (prefer).
///
/// Not thread-safe. Does no I/O.
class ProcessNumbers {
 public:
  /// One run of a program.
  struct Run {
    std::int32_t pid{0};
    std::int64_t created_ns{0};
    friend auto operator<=>(const Run&, const Run&) = default;  // NOLINT(modernize-use-nullptr)
  };

  explicit ProcessNumbers(ProcessRange range) noexcept : range_(range) {}

  [[nodiscard]] const ProcessRange& range() const noexcept { return range_; }
  /// Reserves this number for `run`, unless the number is taken by then or outside the range. At most
  /// `most_preferred` reservations are kept.
  void prefer(std::uint32_t number, const Run& run);
  /// Returns the number of `run`, the same at each call. Returns nothing if all numbers are taken.
  [[nodiscard]] std::optional<std::uint32_t> number_of(const Run& run);
  /// Makes the number of `run` free for another process.
  void release(const Run& run);

  static constexpr std::size_t most_preferred = 100'000;

 private:
  [[nodiscard]] std::optional<std::uint32_t> find_free(const Run& run) const;

  ProcessRange range_;
  std::map<Run, std::uint32_t> numbers_;
  std::map<std::uint32_t, Run> runs_;
  std::map<Run, std::uint32_t> preferred_;
};

}  // namespace eventspace
