#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "monitors/collectives/collective_call.h"
#include "monitors/collectives/collective_totals.h"
#include "monitors/collectives/operation_report.h"

namespace eventspace {

/// Sums up collective operations by collective (or communicator), operation and call site: how many there
/// were, which participant came last how often, and how long the others waited for it. Times have the meaning
/// of CollectiveTotals. Pure. Not thread-safe.
///
/// Operations at more than `max_rows` call sites are added to a row of their collective without a call. If
/// there are more than `max_late` pairs of a row and a participant, further participants of a row are added
/// to Row::unlisted.
class CollectiveSummary {
 public:
  static constexpr std::size_t max_rows = 65'536;
  static constexpr std::size_t max_late = 1'000'000;

  /// A participant that came last.
  struct Late {
    std::uint64_t last{0};          ///< operations in which it certainly was the last
    std::uint64_t perhaps_last{0};  ///< operations in which it or another may have been the last
    TimeSum cost{};                 ///< how long the others waited for it, where it certainly was
    void add(const Late& other) noexcept;
  };
  struct Row {
    std::string collective{};
    CollectiveCall call{};               ///< of the last participant; if that is uncertain, of a candidate
    std::uint64_t operations{0};         ///< that have ended with a result...
    std::uint64_t incomplete{0};         ///< ...of which records are missing
    std::uint64_t uncertain{0};          ///< ...whose last participant is uncertain
    std::uint64_t broken{0};             ///< that ended without a result
    std::uint64_t open{0};               ///< that were open when their run ended
    TimeSum waiting{};                   ///< of all for the last, with a certain cause or without
    TimeSum uncertain_waiting{};         ///< the part of it whose cause is uncertain
    std::map<std::string, Late> late{};  ///< by name
    Late unlisted{};
  };

  /// Adds an operation of the collective with this shape. `call` may be empty.
  void add(const CollectiveShape& shape, const CollectiveCall& call, const OperationReport& report);

  /// The rows in descending order of waiting; with equal waiting, by name.
  [[nodiscard]] std::vector<const Row*> rows() const;
  /// The sum over all rows, with the names of participants, and without collective and call.
  [[nodiscard]] Row total() const;

 private:
  Row& row_of(const CollectiveShape& shape, const CollectiveCall& call);
  Late& late_of(Row& row, const std::string& name);

  std::map<std::pair<std::string, CollectiveCall>, Row> rows_;
  std::size_t late_{0};  // the number of all Row::late
};

}  // namespace eventspace
