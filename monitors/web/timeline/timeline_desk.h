#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "monitors/web/http/site.h"
#include "monitors/web/timeline/loaded_timeline.h"
#include "monitors/web/timeline/operation_search.h"
#include "monitors/web/timeline/timeline_limits.h"

namespace eventspace::web {

/// Answers the questions of pages about the timeline of one session. A thread of its own loads the timeline
/// when a page first asks: a recording once, a running session again each second for as long as a page asks.
/// Tiles are made at once from memory. Questions that read the recording are jobs of that thread: a page asks
/// again until the answer is there, and a job that no page asks for is dropped. Thread-safe.
///
///     "timeline" --------------> loading ... ready, with rows
///     "timeline?from=&to=..." -> tile
///     "find", "event" ---------> searching ... found or none
class TimelineDesk {
 public:
  using Open = std::function<Watched()>;

  /// `open`: finds the session; called by the desk's thread, may throw an Error.
  explicit TimelineDesk(Open open, const TimelineLimits& limits = {});
  ~TimelineDesk();  ///< waits for the work under way, which ends soon
  TimelineDesk(const TimelineDesk&) = delete;
  TimelineDesk& operator=(const TimelineDesk&) = delete;

  /// The answer to `question`, which is "timeline", "event" or "find"; nullopt for another word. Does not
  /// block.
  std::optional<Answer> ask(std::string_view question, const Request& request);

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::function<std::string(Job&)> work;
    std::string answer{};  ///< empty until it is done
    std::int64_t reached{0};
    bool is_delivered{false};  ///< a page has got the answer
    Clock::time_point begun{};
    Clock::time_point asked{};
  };
  using SharedJob = std::shared_ptr<Job>;

  Answer timeline(const Request& request);
  Answer tile(const Request& request) const;
  Answer rows() const;
  Answer event(const Request& request);
  Answer find(const Request& request);
  Answer ask_job(const std::string& key, std::function<std::string(Job&)> work);
  void make_room();
  void run();
  SharedTimeline read(const std::function<bool(double)>& goes_on);
  void load();
  void do_next_job(const std::shared_ptr<Job>& job);
  [[nodiscard]] std::shared_ptr<Job> next_job() const;
  [[nodiscard]] bool is_load_due() const;
  [[nodiscard]] bool is_of_other_reading(const Request& request) const;
  [[nodiscard]] bool is_wanted(const Job& job) const;

  const Open open_;
  const TimelineLimits limits_;
  std::unique_ptr<SnapshotLoader> snapshots_;  // of the thread, like the next
  std::unique_ptr<OperationSearch> search_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  bool is_over_{false};
  bool is_live_{false};
  Clock::time_point asked_{};
  Clock::time_point loaded_at_{};
  double progress_{0};
  std::string failure_;
  SharedTimeline timeline_;
  std::uint64_t generation_{0};
  std::map<std::string, SharedJob> jobs_;
  std::thread thread_;
};

/// The request for a tile in the parameters `from`, `to`, `rows` ("0-3,7") and `pixels`; nullopt if they are
/// not valid for a store with `rows` rows.
std::optional<struct TileRequest> tile_request(const Request& request, std::size_t rows);

}  // namespace eventspace::web
