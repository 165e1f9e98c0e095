#pragma once

// Private to monitors/.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"

namespace eventspace {

/// Who has come to the collective operations that are under way, as the newest records tell: whoever is in
/// flight on its path to one has, and whoever has ended it. Of records in flight the operation's number may
/// not be known, as what ended there last is not in the view, or failed and so did not count; then they are
/// taken to be of the one that is asked about. Pure. Not thread-safe.
class Attendance {
 public:
  struct Operation {
    std::size_t collective{0};                                              ///< in the plan
    std::optional<std::uint64_t> number{};                                  ///< nothing: not known
    friend auto operator<=>(const Operation&, const Operation&) = default;  // NOLINT(modernize-use-nullptr)
  };

  /// `traces`: the trace elements of which views have records. Who takes part in a collective without one of
  /// them is left out: nothing is known of it.
  Attendance(const Plan& plan, const std::set<std::size_t>& traces);

  /// `newest`: a view of the newest events. What was seen before is forgotten.
  void observe(const View& newest);

  /// The operation that is under way on path `path`, of a thread or of a joint; nothing when none is.
  [[nodiscard]] std::optional<Operation> operation_on(std::uint32_t path) const;
  /// The paths of the threads that take part in it and have not come: also of those of which the view has no
  /// record.
  [[nodiscard]] std::vector<std::size_t> absent_from(const Operation& operation) const;
  /// The paths of all threads that take part.
  [[nodiscard]] const std::vector<std::size_t>& participants(std::size_t collective) const {
    return participants_[collective];
  }

 private:
  struct Place {
    std::size_t collective{0};
    bool is_in_flight{false};
    bool has_failed{false};                    ///< the last one that ended
    std::optional<std::uint64_t> in_flight{};  ///< its number, if those before have not failed
    std::uint64_t ended{0};                    ///< the number of the last one that ended; 0: not known
    [[nodiscard]] std::optional<std::uint64_t> number() const {
      return has_failed ? std::nullopt : in_flight;
    }
  };
  [[nodiscard]] bool has_come(std::size_t path, const Operation& operation) const;

  std::unordered_map<std::size_t, Place> places_;       // by path, uplinks of joints included
  std::vector<std::vector<std::size_t>> participants_;  // paths, by collective
};

}  // namespace eventspace
