#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/watching/attendance.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"

namespace eventspace {

/// What a heartbeat says of a thread; or of a joint of a collective operation, which is stuck when what it
/// has under way to the joint above takes that long, or of a part of a scope, which is when a pull does.
/// These are never computing or blocked. Stalled are those from stuck on: no event for the set time.
enum class Verdict : std::uint8_t {
  running,      ///< an event began or ended within the set time
  not_started,  ///< its process has no segment yet, or it has not bound itself yet
  ended,        ///< its process left in an orderly way
  stuck,        ///< inside an operation for longer than the set time
  computing,    ///< outside any operation, and using the processor
  blocked,      ///< outside any operation, and not using the processor
  stopped,      ///< its process is stopped by a signal
  dead,         ///< its process is gone without having ended
  unreachable   ///< what could tell did not answer
};
std::string_view to_string(Verdict verdict) noexcept;
bool is_stalled(Verdict verdict) noexcept;

/// One thread at one pull. Times are by the clock of the thread's own node, so nodes' clocks need not agree.
struct ThreadHealth {
  std::uint32_t thread{0};
  Verdict verdict{Verdict::not_started};
  std::optional<EventRecord> last;                     ///< the newest finished event
  std::optional<EventRecord> in_flight;                ///< the operation under way
  std::optional<std::chrono::nanoseconds> silent_for;  ///< since its last event began or ended
  std::optional<std::chrono::nanoseconds> in_flight_for;
  std::optional<std::int64_t> last_realtime_ns;  ///< when the last event ended
  std::string detail;                            ///< of unreachable: why
  /// Its paths to collectives in which others are stuck as it has not come; ascending.
  std::vector<std::uint32_t> absent_from;
};

/// A thread that others wait for and that waits for nobody itself, or the thread that was silent longest of
/// those that wait for each other in a circle.
struct Culprit {
  std::uint32_t thread{0};
  Verdict verdict{};
  std::size_t waiting{0};             ///< how many threads wait for it, directly or through others; no joints
  std::vector<std::uint32_t> circle;  ///< the threads of the circle, if it is one
};

struct HealthReport {
  std::vector<ThreadHealth> threads;  ///< in the order of the plan
  std::vector<Culprit> culprits;      ///< of the stalled threads, the one most waited for first
  std::size_t stalled{0};
};

/// The heartbeat monitor's judgement (EventSpace, section 5.1, and what the kernel and the operation in
/// flight add to it): from views of the newest event of each thread to who makes progress, who does not, and
/// whom the others wait for. Pure but for the memory of the views before.
class HeartbeatAnalysis {
 public:
  /// Judges the threads of which `tree` reads anything. `stall_after`: the set time. The plan must outlive
  /// it.
  HeartbeatAnalysis(const Plan& plan, const ScopeTree& tree, std::chrono::nanoseconds stall_after);
  /// `watched`: the threads to judge, by number, from all their trace elements.
  HeartbeatAnalysis(const Plan& plan, const std::vector<std::uint32_t>& watched,
                    std::chrono::nanoseconds stall_after);

  /// `at`: when the view was pulled, on the monitor's timeline (monitors/watching/timeline.h).
  HealthReport observe(const View& view, std::chrono::steady_clock::time_point at);

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Memory {
    std::int32_t pid{0};             ///< of the process that this was seen of
    std::uint64_t start_ticks{0};    ///< of the same
    std::optional<Time> first_seen;  ///< bound, with its process running
    std::uint64_t cpu_ns{0};         ///< at `cpu_at`
    Time cpu_at;
    bool has_cpu{false};
    bool uses_processor{false};
  };
  struct Evidence;

  HeartbeatAnalysis(const Plan& plan, std::vector<std::uint32_t> watched, const std::set<TraceIndex>& traces,
                    std::chrono::nanoseconds stall_after);
  ThreadHealth judge(std::uint32_t thread, const Evidence& evidence, Time at);
  Memory& memory_of(std::uint32_t thread, const ProcessReport& process);
  void judge_stand_in(ThreadHealth& health) const;
  void judge_silence(ThreadHealth& health, const Evidence& evidence, Time at);
  void watch_processor(Memory& memory, const ThreadReport& kernel, Time at);
  ThreadHealth judge_unseen(std::uint32_t thread, const View& view) const;

  const Plan* plan_;
  std::vector<std::uint32_t> watched_;
  std::chrono::nanoseconds stall_after_;
  std::unordered_map<std::uint32_t, Memory> memory_;
  Attendance attendance_;
};

/// Follows who waits for whom among the stalled; pure. `threads` as in HealthReport: those that have not come
/// to a collective operation that others are stuck in are told so. `attendance` has observed the same view.
///
/// Who is stuck in an operation on an element waits for its one other user. Who is stuck in a collective one
/// waits for each thread that has not come to it. When all that can be seen have, it waits for those that
/// cannot be seen, or whose process is stopped or dead; and for nobody when there are none, as the result may
/// be on its way.
std::vector<Culprit> find_culprits(const Plan& plan, const Attendance& attendance,
                                   std::vector<ThreadHealth>& threads);

}  // namespace eventspace
