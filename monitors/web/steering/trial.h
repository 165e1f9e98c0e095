#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "monitors/tune/paced_pulls.h"
#include "monitors/tune/step_count.h"
#include "monitors/watching/watch_cost.h"
#include "monitors/watching/watched.h"
#include "monitors/web/steering/steering_order.h"

namespace eventspace::web {

/// The figures of a trial so far. Rates and shares are of the time with pulls only.
struct TrialFigures {
  std::uint64_t number{0};  ///< from 1, in the order of their beginnings
  TrialWish wish;
  std::string words{};  ///< the variant's tree (ScopeVariant::words)
  std::chrono::nanoseconds pulling{};
  std::uint64_t pulls{0};
  std::uint64_t whole{0};               ///< pulls with complete views
  std::chrono::nanoseconds in_pulls{};  ///< the sum of their times
  std::vector<LevelTime> levels{};      ///< of a recent view
  std::string missing{};                ///< from views of the newest slice of time
  std::chrono::nanoseconds page_cpu{};  ///< processor time of this process
  std::chrono::nanoseconds servers_cpu{};
  std::size_t servers{0};                    ///< nodes
  std::size_t servers_here{0};               ///< whose processor time can be read, as they run here
  std::optional<tune::Estimate> estimate{};  ///< of the application's slowdown, by pairs
  std::string no_slowdown{};                 ///< why it is not measured, or not any more
  std::string ended{};                       ///< why; empty while the trial runs

  [[nodiscard]] double rate() const noexcept;  ///< complete views per second
};

/// Pulls a variant of a scope's tree at a rate, in a thread of its own, and measures its cost. If the
/// application's progress paths are known, slices of time with pulls alternate with slices without them, as
/// `tune` does, which gives the slowdown. Ends by itself when no page has shown it for `unshown`.
/// Thread-safe.
class Trial final : private tune::SliceObserver {
 public:
  static constexpr std::chrono::seconds unshown{5};
  static constexpr std::size_t max_pairs = 32;  ///< the newest, of which the slowdown is estimated

  struct Settings {
    Watched watched;
    std::uint64_t number;
    TrialWish wish;
    std::string words;
    ScopeTree tree;
    std::string progress;            ///< a glob of paths that each step of the application uses
    std::function<bool()> is_shown;  ///< whether a page shows it; must not block
    /// Called by the trial's thread after each slice of time, and at the end.
    std::function<void(const TrialFigures&)> on_figures;
  };
  explicit Trial(Settings settings);
  ~Trial() override;  ///< ends it; waits for the pull under way

 private:
  using Clock = std::chrono::steady_clock;

  void begin_pulls() override;
  void observe(const View& view, std::chrono::nanoseconds elapsed) override;
  void end_pulls() override;
  void observe(const tune::SlicePair& pair) override;

  void run();
  void measure();
  void find_servers(const Consumer& consumer);
  std::optional<tune::StepCount> open_steps(Consumer& consumer);
  void measure_pairs(Consumer& consumer, tune::StepCount& steps);
  [[nodiscard]] std::chrono::nanoseconds slice() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds servers_cpu() const;
  bool wait_for(std::chrono::nanoseconds time);
  void count_pages();

  const Settings settings_;
  // Of the thread:
  TrialFigures figures_;
  std::deque<tune::SlicePair> pairs_;
  std::vector<std::int32_t> servers_;  // their process ids
  std::optional<WatchCost> slice_cost_;
  std::chrono::nanoseconds servers_cpu_begun_{};
  std::string slice_missing_;
  Clock::time_point levels_due_{};
  Clock::time_point shown_at_{Clock::now()};
  Clock::time_point shown_due_{};
  bool is_unshown_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_{false};  // guarded by mutex_
  std::thread thread_;
};

}  // namespace eventspace::web
