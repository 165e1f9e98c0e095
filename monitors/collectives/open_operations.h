#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "monitors/collectives/watched_collectives.h"

namespace eventspace {

/// Remembers since when a monitor has seen each collective operation open, and decides which have been open
/// for so long that they are shown. Pure. Not thread-safe.
class OpenOperations {
 public:
  using Operation = WatchedCollectives::Operation;
  using Time = WatchedCollectives::Time;

  /// An operation that has been open for `open_after` is shown.
  explicit OpenOperations(std::chrono::nanoseconds open_after) noexcept : open_after_(open_after) {}

  struct Shown {
    Operation operation;
    std::chrono::nanoseconds open_for{};
  };
  /// Takes all operations that are open `now`. Returns those to show: each once, and again when the set of
  /// missing threads has changed.
  std::vector<Shown> observe(std::vector<Operation> open, Time now);
  /// For the end of the monitor: returns all that have been open for long, whether or not they were shown
  /// before.
  [[nodiscard]] std::vector<Shown> at_end(std::vector<Operation> open, Time now) const;

 private:
  using Key = std::tuple<std::uint64_t, std::size_t, std::uint64_t>;  // run, collective and number
  static Key key_of(const Operation& operation) {
    return {operation.run, operation.collective, operation.report.number};
  }
  struct Known {
    Time since;
    std::optional<std::vector<std::size_t>> shown{};  // the absent threads when it was shown
  };

  std::chrono::nanoseconds open_after_;
  std::map<Key, Known> known_;
};

}  // namespace eventspace
