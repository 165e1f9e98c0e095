#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitors/collectives/mpi_collectives.h"
#include "monitors/collectives/open_operations.h"
#include "monitors/collectives/watched_collectives.h"

namespace eventspace {

/// What collective operations cost a program, from the sums of a monitor: the answer, then the evidence, then
/// how sure it is. Made again at each look. Pure.
class SummaryReport {
 public:
  /// `job` is `watch` if an MPI job is watched, else null. `open`: operations that are open for long now.
  /// Both must outlive this object. `thinned`: WatchTally::thinned_text().
  SummaryReport(const WatchedCollectives& watch, const MpiCollectives* job,
                std::vector<OpenOperations::Shown> open, std::string thinned = {});

  /// "rank 3 came last in 812 of 1000 operations and cost the others 12.3s, 18% of the run time of all 4
  /// ranks"
  [[nodiscard]] std::string answer() const;
  /// A line for each operation that is open for long: "sum #40 open for 1.2s, absent: t3".
  [[nodiscard]] std::vector<std::string> open_lines() const;
  /// How sure the answer is: a sentence for each reservation, or that there is none.
  [[nodiscard]] std::vector<std::string> certainty() const;

  using Row = CollectiveSummary::Row;
  using Late = CollectiveSummary::Late;
  [[nodiscard]] const std::vector<const Row*>& rows() const noexcept {
    return rows_;
  }  ///< the costliest first
  [[nodiscard]] const Row& total() const noexcept { return total_; }
  /// The participants that came last, those that certainly cost most first.
  [[nodiscard]] static std::vector<std::pair<std::string, Late>> latest_of(const Row& row);
  /// The part of the run time of all participants; nullopt if that is not known, as with several runs, which
  /// may have different participants.
  [[nodiscard]] std::optional<double> share(double ns) const;

  /// Counts of operations and records that are not in the table, or not whole.
  struct Gaps {
    std::uint64_t missing_records{0};
    std::uint64_t unseen{0};
    std::uint64_t given_up{0};
    std::uint64_t left_out{0};             ///< calls on communicators with unknown members
    std::uint64_t calls_of_other_jobs{0};  ///< of spawned jobs
  };
  [[nodiscard]] const Gaps& gaps() const noexcept { return gaps_; }
  [[nodiscard]] const WatchedCollectives& watch() const noexcept { return *watch_; }
  [[nodiscard]] const std::vector<OpenOperations::Shown>& open() const noexcept { return open_; }
  [[nodiscard]] bool is_of_job() const noexcept { return is_of_job_; }
  /// Whether processes did not record all events.
  [[nodiscard]] bool is_thinned() const noexcept { return !thinned_.empty(); }

 private:
  [[nodiscard]] std::string_view participant() const noexcept { return is_of_job_ ? "rank" : "thread"; }
  [[nodiscard]] std::string incomplete_sentence() const;
  [[nodiscard]] std::string uncertain_sentence() const;
  [[nodiscard]] std::string clock_sentence() const;

  const WatchedCollectives* watch_;
  bool is_of_job_;
  std::vector<OpenOperations::Shown> open_;
  std::string thinned_;
  std::vector<const Row*> rows_;
  Row total_;
  Gaps gaps_;
};

/// "18%", "0.3%", "less than 0.1%".
std::string share_text(double share);
/// "12.3s +-1.2ms": a sum and its maximum error, which is "?" when it is unbounded; "-" without a part.
std::string sum_text(const TimeSum& sum);

}  // namespace eventspace
