#pragma once

// Private to scopes/.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/partners.h"

namespace eventspace::metrics {

/// What becomes of a region that begins before the measurement, or has not ended at a reading
/// (grid-distributed-evaluation, section 3.2.2).
enum class CutRegions : std::uint8_t {
  partly,   ///< the part of it that is in the measurement counts, up to each reading
  whole,    ///< all of it counts, once it has ended
  left_out  ///< it does not count if it began before the measurement; else once it has ended
};

/// What one counter has counted in each region of each thread. An event counts for all regions around it.
///
/// A region is recorded when it ends, after what is inside, and in another trace element. So amounts wait
/// until a region around them ends, and a region that has ended waits for events that are read later. Of what
/// is inside a region that has ended, one amount is kept for the regions around that. Times are ticks of the
/// clock of the thread's process, in which regions nest. Not thread-safe.
///
/// Bounds, of each thread and partner: beyond `most_waiting` amounts, neighbours are joined; a region that
/// begins amid joined ones goes without them, and left_out() counts their events. Of regions that have
/// ended, `most_recent` are kept for events that come late. In all, the amounts of `most_lists` threads and
/// partners wait, and there are `most_counts` results; left_out() counts the events for which there is no
/// room.
///
/// Requires that what has ended in a thread is taken in before the region that is open in it (open()), as a
/// view has it: the record in flight is read before the records that have ended.
class RegionCounts {
 public:
  static constexpr std::size_t most_waiting = 16'384;
  static constexpr std::size_t most_recent = 256;
  static constexpr std::size_t most_lists = 65'536;
  static constexpr std::size_t most_counts = 262'144;

  struct Stretch {
    std::uint64_t start{0};
    std::uint64_t end{0};
    [[nodiscard]] bool is_around(const Stretch& other) const noexcept {
      return start <= other.start && other.end <= end;
    }
  };
  /// The thread, the partner if they are counted apart, and the region.
  struct Key {
    std::uint32_t thread{0};
    std::optional<Partner> partner{};
    std::uint32_t region{0};
    friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT
  };
  struct Amounts {
    double ended{0.0};  ///< in regions that have ended
    double open{0.0};   ///< in the one that is open
    double until_last{0.0};
    [[nodiscard]] double total() const noexcept { return ended + open; }
  };

  /// An event that counts.
  void add(std::uint32_t thread, const std::optional<Partner>& partner, const Stretch& when, double amount);
  /// A region that itself counts has ended.
  void add_region(std::uint32_t thread, std::uint32_t region, double amount) {
    count({thread, std::nullopt, region}, amount, 1);
  }
  /// A region has ended: what is inside counts for it.
  void end(std::uint32_t thread, std::uint32_t region, const Stretch& when);

  /// Begins to say anew which region of a thread is open. Until it ends, what is inside counts in
  /// Amounts::open.
  void begin_open(std::uint32_t thread);
  /// `own`: what the region itself counts so far. Does nothing if it has ended meanwhile.
  void open(std::uint32_t thread, std::uint32_t region, std::uint64_t start, double own);

  /// What another one, of a server, has counted.
  void receive(const Key& key, double total);

  /// The sum over threads and regions, and partners, if they are given. A region counts for each event
  /// inside, so that those in several of the regions count several times.
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

  /// Null: there is no room.
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
