#pragma once

// Private to monitors/.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "monitors/collectives/collective_watch.h"

namespace eventspace {

/// Remembers since when collective operations have been open, as far as a monitor saw it, and decides which
/// of them have been open for so long that the monitor shows them. Pure. Not thread-safe.
class OpenOperations {
 public:
  using Operation = CollectiveWatch::Operation;
  using Time = CollectiveWatch::Time;

  /// An operation that has been open for `open_after` is shown.
  explicit OpenOperations(std::chrono::nanoseconds open_after) noexcept : open_after_(open_after) {}

  struct Shown {
    Operation operation;
    std::chrono::nanoseconds open_for{};
  };
  /// `open`: all operations that are open `now`. Returns those to show: each once, and again when other
  /// threads are missing.
  std::vector<Shown> observe(std::vector<Operation> open, Time now);
  /// The same at the end, where each that has been open for long is shown, also if it was shown before.
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
