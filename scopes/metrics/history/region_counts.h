#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scopes/metrics/history/partners.h"

namespace eventspace::metrics {

/// How a region counts that begins before the measurement, or has not ended at a reading
/// (grid-distributed-evaluation, section 3.2.2).
enum class CutRegions : std::uint8_t {
  partly,   ///< the part of it in the measurement counts, up to each reading
  whole,    ///< all of it counts, once it has ended
  left_out  ///< it does not count if it began before the measurement; otherwise once it has ended
};

/// The counts of one counter in each region of each thread. An event counts for all regions around it.
///
/// A region is recorded when it ends, after the events inside it, and in another trace element. So amounts
/// wait until a region around them ends, and a region that has ended waits for events that are read later.
/// The amounts inside an ended region are merged into one for the regions around it. Times are ticks of the
/// clock of the thread's process, in which regions nest. Not thread-safe.
///
/// Bounds, for each thread and partner: beyond `max_waiting` amounts, neighbours are joined. A region that
/// begins within joined amounts does not get them, and left_out() counts their events. `max_recent` ended
/// regions are kept for events that come late. In all, the amounts of `max_lists` threads and partners wait,
/// and there are `max_counts` results; left_out() counts the events that do not fit.
///
/// Requires that the ended events of a thread are taken in before its open region (open()), as in a view: the
/// record in flight is read before the records that have ended.
class RegionCounts {
 public:
  static constexpr std::size_t max_waiting = 16'384;
  static constexpr std::size_t max_recent = 256;
  static constexpr std::size_t max_lists = 65'536;
  static constexpr std::size_t max_counts = 262'144;

  struct Stretch {
    std::uint64_t start{0};
    std::uint64_t end{0};
    [[nodiscard]] bool is_around(const Stretch& other) const noexcept {
      return start <= other.start && other.end <= end;
    }
  };
  /// The thread, the partner if partners are counted separately, and the region.
  struct Key {
    std::uint32_t thread{0};
    std::optional<Partner> partner{};
    std::uint32_t region{0};
    friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT
  };
  struct Amounts {
    double ended{0.0};  ///< in regions that have ended
    double open{0.0};   ///< in the open region
    double until_last{0.0};
    [[nodiscard]] double total() const noexcept { return ended + open; }
  };

  /// Adds an event that counts.
  void add(std::uint32_t thread, const std::optional<Partner>& partner, const Stretch& when, double amount);
  /// Adds a region that itself counts and has ended.
  void add_region(std::uint32_t thread, std::uint32_t region, double amount) {
    count({thread, std::nullopt, region}, amount, 1);
  }
  /// Ends a region: the amounts inside count for it.
  void end(std::uint32_t thread, std::uint32_t region, const Stretch& when);

  /// Begins a new report of the open regions of a thread. Until it ends, amounts inside count in
  /// Amounts::open.
  void begin_open(std::uint32_t thread);
  /// `own`: the amount of the region itself so far. Does nothing if the region has ended.
  void open(std::uint32_t thread, std::uint32_t region, std::uint64_t start, double own);

  /// Takes a count of a server.
  void receive(const Key& key, double total);

  /// The sum over threads and regions, and over partners, if they are given. A region counts each event
  /// inside, so an event in several of the regions counts several times.
  [[nodiscard]] Amounts sum(const std::vector<std::uint32_t>& threads,
                            const std::vector<std::uint32_t>& regions,
                            const std::set<Partner>* partners) const;
  [[nodiscard]] const std::map<Key, Amounts>& all() const noexcept { return counts_; }
  void mark_read();
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct Region {
    std::uint32_t number{0};
    Stretch when{};
  };
  struct Waiting {
    Stretch when{};
    double amount{0.0};
    std::uint64_t events{1};
    bool is_joined{false};
  };
  using Line = std::vector<Waiting>;  // in the order of their starts
  using Place = std::pair<std::uint32_t, std::optional<Partner>>;

  /// Null means that the key does not fit.
  [[nodiscard]] Amounts* amounts_of(const Key& key);
  void count(const Key& key, double amount, std::uint64_t events);
  void end_in(Line& line, const Key& key, const Stretch& when);
  static void shorten(Line& line);

  std::map<std::uint32_t, std::deque<Region>> recent_;  // by thread
  std::map<Place, Line> waiting_;
  std::map<Key, Amounts> counts_;
  std::uint64_t left_out_{0};
};

}  // namespace eventspace::metrics
