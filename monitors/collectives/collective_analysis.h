#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "monitors/collectives/operation_report.h"

namespace eventspace {

/// Assembles the records of one collective into operations and reports each operation once. Records may
/// arrive in any order, over any number of pulls, and more than once. Pure. Not thread-safe.
///
/// 1. An operation is reported when all its records have arrived.
/// 2. An operation that has ended is reported as incomplete when none of its missing records can arrive any
/// more: `patience` settles ago, records of later operations had arrived from the same ends of the same
/// edges.
/// 3. A broken operation is reported after as many settles, because its remaining records may never exist.
/// 4. An operation that ended `late_after` ago is reported as incomplete even though records of it can still
/// arrive: the server that has them does not answer.
/// 5. A settle leaves at most `max_open` operations open. It gives up the oldest beyond that: reports them
/// as they are, and counts them.
/// 6. Late or repeated records of a reported operation are ignored and counted.
///
/// An operation without any record, between two that have records, counts as unseen.
class CollectiveAnalysis {
 public:
  struct Config {
    std::size_t max_open{512};
    std::uint32_t patience{2};  ///< settles before an operation that can get no more records is reported
    /// By default longer than a level of a scope continues without a late part.
    std::chrono::nanoseconds late_after{std::chrono::seconds(15)};
  };
  using Time = std::chrono::steady_clock::time_point;
  explicit CollectiveAnalysis(const CollectiveShape& shape) : CollectiveAnalysis(shape, Config{}) {}
  /// `shape` must outlive it.
  CollectiveAnalysis(const CollectiveShape& shape, Config config);

  /// Adds a record of a view. The number of an operation under way may be unknown (0); then it is taken to be
  /// the number after the last operation that ended at that end of the edge.
  void add(const EdgeRecord& record);
  /// Adds a part that stands for the records of one process.
  void add(const ProcessPart& part);
  /// Opens the operations of the added records that are under way; settle() also does this.
  void place_under_way();
  /// Call after adding the records of each view; `at` is when it was pulled. Returns the operations that can
  /// be reported now, in the order of their numbers.
  std::vector<OperationReport> settle(Time at = {});

  /// Reports on the operations that have begun and are not yet reported, the oldest first.
  [[nodiscard]] std::vector<OperationReport> open() const;
  /// Whether the operation was reported or given up, so that further records of it are ignored.
  [[nodiscard]] bool is_reported(std::uint64_t number) const;
  /// Forgets all operations, because the application was restarted and numbers them from 1 again. Keeps the
  /// counts.
  void begin_anew();

  struct Counts {
    std::uint64_t reported{0};
    std::uint64_t given_up{0};  ///< thereof because they exceeded `max_open`
    std::uint64_t ignored{0};   ///< records that were repeated, too late, or without a number
    std::uint64_t unseen{0};    ///< operations without any record
  };
  [[nodiscard]] Counts counts() const noexcept;

 private:
  struct Open {
    CollectiveOperation operation;
    std::uint32_t hopeless{0};       ///< settles since no more records can arrive
    std::optional<Time> ended_at{};  ///< the latest possible end
  };
  template <class What>
  void place(const What& what);
  [[nodiscard]] bool is_over(std::uint64_t number) const noexcept { return number < newest_; }
  [[nodiscard]] bool is_hopeless(const CollectiveOperation& operation) const;
  void note_end(Open& open, Time at) const;
  [[nodiscard]] bool is_late(const Open& open, Time at) const;
  void report(std::map<std::uint64_t, Open>::iterator which, std::vector<OperationReport>& reports);
  [[nodiscard]] bool is_one_too_many(std::uint64_t oldest) const noexcept;
  void forget_reported();

  const CollectiveShape* shape_;
  Config config_;
  std::map<std::uint64_t, Open> open_;
  std::vector<EdgeRecord> under_way_;  // of this view
  std::vector<std::uint64_t> latest_;  // by end of edge: the greatest number of an operation that ended there
  std::uint64_t newest_{0};            // the greatest number that has a record
  bool begun_{false};
  std::uint64_t all_below_{0};        // all smaller numbers are reported or unseen
  std::set<std::uint64_t> reported_;  // the reported numbers from all_below_ on
  Counts counts_;
};

}  // namespace eventspace
