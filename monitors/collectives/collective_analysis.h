#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "monitors/collectives/operation_report.h"

namespace eventspace {

/// Puts the records of one collective together to operations, and says of each what happened, once. Records
/// may come in any order, over any number of pulls, and more than once. Pure. Not thread-safe.
///
/// 1. An operation is reported when all its records are here.
/// 2. One that has ended elsewhere, but of whose missing records none can come any more, as later ones of the
///    same ends of the same edges were here already some settles ago, is reported as incomplete.
/// 3. So is one that is broken: who was told so may be the last of whom there is a record.
/// 4. So is one that has ended elsewhere for `late_after`, though records of it can come: a server that would
/// bring them does not answer.
/// 5. At most `most_open` are kept beyond a settle; the oldest are given up, reported as what they are,
/// counted.
/// 6. Of those that were reported, late or repeated records are ignored, and counted.
///
/// Operations of which nothing was ever read, between others that were, are counted as unseen.
class CollectiveAnalysis {
 public:
  struct Config {
    std::size_t most_open{512};
    std::uint32_t patience{2};  ///< settles that an operation without hope of more records is kept
    /// Longer than a level of a scope does without a part that was late, by default.
    std::chrono::nanoseconds late_after{std::chrono::seconds(15)};
  };
  using Time = std::chrono::steady_clock::time_point;
  explicit CollectiveAnalysis(const CollectiveShape& shape) : CollectiveAnalysis(shape, Config{}) {}
  /// `shape` must outlive it.
  CollectiveAnalysis(const CollectiveShape& shape, Config config);

  /// A record of a view. One that is under way does not know its operation's number: where that is 0, it is
  /// taken to be that after the last one that ended there.
  void add(const EdgeRecord& record);
  /// The same in place of records.
  void add(const ProcessPart& part);
  /// Counts what was added of those under way as begun; settle() does so as well.
  void place_under_way();
  /// To be called after each view, which was pulled `at`: what can be said of since the last call, in the
  /// order of their numbers.
  std::vector<OperationReport> settle(Time at = {});

  /// What can be said of those that were begun and not yet reported, the oldest first.
  [[nodiscard]] std::vector<OperationReport> open() const;
  /// Whether records of this operation would be ignored.
  [[nodiscard]] bool is_reported(std::uint64_t number) const;
  /// The application, or what is known of it, begins anew: its numbers do, too. Counts stay.
  void begin_anew();

  struct Counts {
    std::uint64_t reported{0};
    std::uint64_t given_up{0};  ///< of these, as there were too many
    std::uint64_t ignored{0};   ///< records that came again, too late or without a number
    std::uint64_t unseen{0};    ///< operations, so far
  };
  [[nodiscard]] Counts counts() const noexcept;

 private:
  struct Open {
    CollectiveOperation operation;
    std::uint32_t hopeless{0};       ///< settles
    std::optional<Time> ended_at{};  ///< at the latest
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
  std::vector<std::uint64_t> latest_;  // by end of edge: the greatest number that ended there
  std::uint64_t newest_{0};            // that anything was seen of
  bool begun_{false};
  std::uint64_t all_below_{0};        // are reported
  std::set<std::uint64_t> reported_;  // of the others
  Counts counts_;
};

}  // namespace eventspace
