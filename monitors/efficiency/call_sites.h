#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "monitors/profile/bounded_map.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::efficiency {

/// The time in calls by function and place, with an estimate of the most of it that is transfer: the shortest
/// call of a function at one place, with as many bytes within a factor of two, counts as transfer only, and
/// the others as as long a transfer. Calls that never wait are transfer. Fewer than `min_calls` calls that
/// may wait say nothing, as all of them may have waited. Not thread-safe.
class CallSites {
 public:
  static constexpr std::uint64_t min_calls = 10;

  /// `names` must outlive it.
  explicit CallSites(const PlanNames& names) noexcept : names_(&names) {}

  /// A call, from the record of its event.
  void add(const TraceTuple& record, std::int64_t duration_ns, bool may_wait);

  struct Site {
    std::string name;  ///< "MPI_Recv at main (app.c:12)", "take border/north"
    std::uint64_t calls{0};
    double time_ns{0};
    std::optional<double> transfer_ns{};  ///< nullopt if too few calls are alike
  };
  [[nodiscard]] std::vector<Site> sites() const;  ///< those with most time first
  [[nodiscard]] std::uint64_t left_out() const noexcept { return sums_.left_out(); }

 private:
  /// Kind of event, function or verb and path, place in the scope, and bit width of the bytes.
  using Key = std::tuple<std::uint8_t, std::uint64_t, std::uint32_t, int>;
  struct Sum {
    std::uint64_t calls{0};
    double time_ns{0};
    double shortest_ns{0};
    bool may_wait{false};
  };
  struct Call {
    Key key{};
    std::uint32_t calls{1};  // that the record stands for
  };
  static Call call_of(const TraceTuple& record);
  [[nodiscard]] std::string name_of(const Key& key) const;

  const PlanNames* names_;
  BoundedMap<Key, Sum> sums_;
};

}  // namespace eventspace::efficiency
