#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scopes/metrics/history/partners.h"
#include "scopes/metrics/history/region_counts.h"

namespace eventspace::metrics {

/// The totals of one counter: for each thread, for each thread and partner, and for each region; and the
/// operations in flight that it will count. Threads and regions have the numbers of ObservedObjects.
///
/// 1. A total covers the time from the start of the measurement. The amount since the last reading is the
///    total less its value at the last call of mark_read().
/// 2. A sum over threads does not depend on the order in which they are numbered.
/// 3. There are at most `max_partner_sums` totals by partner. left_out() counts the events beyond them.
/// 4. A thread is held as long as an operation is in flight in it and nothing else was counted. Its next
///    amount covers the time since it was first held (counted_from).
///
/// Not thread-safe.
class CounterTotals {
 public:
  static constexpr std::size_t max_partner_sums = 262'144;

  /// The total of a thread, which may be new. The reference is valid until the next call.
  [[nodiscard]] double& of(std::uint32_t thread) {
    if (totals_.size() <= thread) totals_.resize(thread + 1);
    return totals_[thread];
  }
  void add(std::uint32_t thread, const Partner& partner, double amount);
  [[nodiscard]] RegionCounts& regions() noexcept { return regions_; }
  /// Counts events whose partner is not known.
  void leave_out(std::uint64_t events) noexcept { left_out_ += events; }

  /// A total, with one partner or all, in one region or everywhere.
  struct Count {
    std::uint32_t thread{0};
    std::optional<Partner> partner{};
    double total{0.0};
    std::optional<std::uint32_t> region{};
  };
  /// Takes a server's count since the start, which replaces its previous one.
  void receive(const Count& count);
  /// Returns the totals that changed since the last call of mark_read().
  [[nodiscard]] std::vector<Count> changed() const;

  /// The sum over threads, since the start, or since mark_read().
  [[nodiscard]] double total(const std::vector<std::uint32_t>& threads) const;
  [[nodiscard]] double since_last(const std::vector<std::uint32_t>& threads) const;
  /// The sum by partner or region, since the start and until mark_read(). Partners, or regions, are null if
  /// the counter does not count by them.
  struct Sums {
    double total{0.0};
    double until_last{0.0};
  };
  struct Over {
    std::vector<std::uint32_t> threads{};
    const std::set<Partner>* partners{nullptr};
    const std::vector<std::uint32_t>* regions{nullptr};
  };
  [[nodiscard]] Sums sums(const Over& over) const;
  /// Ends an interval. `last_ns`: the time of the last call.
  void mark_read(std::int64_t last_ns);

  /// The threads with operations in flight which the counter will count, and since when the oldest is in
  /// flight.
  [[nodiscard]] const std::map<std::uint32_t, std::int64_t>& in_flight() const noexcept { return in_flight_; }
  /// If a thread has several operations, the oldest is kept.
  void note_in_flight(std::uint32_t thread, std::int64_t since_ns);
  void forget_in_flight(std::uint32_t thread) { in_flight_.erase(thread); }
  /// Whether nothing was counted since mark_read() because an operation was in flight all the time since
  /// `last_ns`, the time of that call. The amount of the operation is not known yet, and 0 would be wrong
  /// (section 3.2.3 of the thesis).
  [[nodiscard]] bool is_held(const std::vector<std::uint32_t>& threads, std::int64_t last_ns) const;
  /// The time from which the amount since mark_read() was counted: `last_ns`, or when it was first held.
  [[nodiscard]] std::int64_t counted_from(const std::vector<std::uint32_t>& threads,
                                          std::int64_t last_ns) const;

  /// The number of events that were left out, because of their partner, or as RegionCounts says.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_ + regions_.left_out(); }

 private:
  [[nodiscard]] double since_last(std::uint32_t thread) const;

  std::vector<double> totals_;                                     // by thread
  std::vector<double> last_;                                       // the same at mark_read()
  std::map<std::pair<std::uint32_t, Partner>, Sums> of_partners_;  // by thread and partner
  RegionCounts regions_;
  std::map<std::uint32_t, std::int64_t> in_flight_;   // by thread
  std::map<std::uint32_t, std::int64_t> held_since_;  // by thread, over several readings
  std::uint64_t left_out_{0};
};

}  // namespace eventspace::metrics
