#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/collectives/watched_collectives.h"
#include "monitors/text/json.h"

namespace eventspace {

/// "3.2ms +-12us": the time and its maximum error; the error is "?" when it is unbounded.
std::string bounded_text(const Difference& time);
/// {"ns": 3200000, "error_ns": 12000}; `error_ns` is null when it is unbounded. Null for nullopt.
Json json_of(const std::optional<Difference>& time);

/// Writes reports on collective operations, one per line; docs/commands.md names the fields. `out` and
/// `watch` must outlive it.
class CollectivePrinter {
 public:
  /// With `views`, also prints the views of each joint and each stage of the tree.
  CollectivePrinter(std::ostream& out, Format format, bool views, const WatchedCollectives& watch);

  /// `open_for`: how long an open operation has been seen open.
  void print(const WatchedCollectives::Operation& operation, std::chrono::nanoseconds since_start,
             std::chrono::nanoseconds open_for = {});
  /// Writes the buffered lines to the stream. Returns false when the stream has failed, as when its reader is
  /// gone.
  bool flush();

 private:
  void print_text(const WatchedCollectives::Operation& operation, std::chrono::nanoseconds since_start,
                  std::chrono::nanoseconds open_for);
  void print_views(const CollectiveShape& shape, const OperationReport& report);
  void print_json(const WatchedCollectives::Operation& operation, std::chrono::nanoseconds since_start,
                  std::chrono::nanoseconds open_for);
  void print_csv(const WatchedCollectives::Operation& operation, std::chrono::nanoseconds since_start,
                 std::chrono::nanoseconds open_for);

  std::ostream* out_;
  std::string lines_;
  Format format_;
  bool views_;
  const WatchedCollectives* watch_;
};

}  // namespace eventspace
