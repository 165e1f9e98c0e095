#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/delays/delay_report.h"
#include "monitors/heartbeat/culprit_stacks.h"
#include "monitors/heartbeat/element_waits.h"
#include "monitors/heartbeat/verdict.h"
#include "monitors/mpi/job_verdict.h"
#include "monitors/watching/attendance.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"

namespace eventspace {

/// The health of one thread at one pull. An event is an operation or a probe of the program. The age of a
/// record is measured by the clock of the process that recorded it, perhaps the element's process, so the
/// clocks of different nodes need not agree.
struct ThreadHealth {
  std::uint32_t thread{0};
  Verdict verdict{Verdict::not_started};
  std::optional<EventRecord> last;                     ///< the newest finished event
  std::optional<EventRecord> in_flight;                ///< the operation or region under way
  std::optional<std::chrono::nanoseconds> silent_for;  ///< since its last event began or ended
  std::optional<std::chrono::nanoseconds> in_flight_for;
  std::optional<std::int64_t> last_realtime_ns;  ///< when the last event ended
  bool uses_processor{false};                    ///< its kernel thread has recently used a processor
  /// The thread is runnable, but since its operation in flight was first seen it has had a processor for less
  /// than a tenth of the set time. Its long operation is therefore not yet a sign of a fault.
  bool lacks_processor{false};
  std::string detail;  ///< the cause, if unreachable or not collected
  /// For a rank of an MPI job: the first verdict in HealthReport::job that names it, as a cause or as
  /// waiting.
  std::optional<std::size_t> job_verdict{};
  bool is_job_culprit{false};
  /// Ascending: its paths to collectives in which other threads are stuck because it has not contributed.
  std::vector<std::uint32_t> absent_from;
};

/// A thread for which others wait and that does not wait for another thread; or, if threads wait for each
/// other in a circle, the thread that was silent longest.
struct Culprit {
  std::uint32_t thread{0};
  Verdict verdict{};
  std::size_t waiting{0};             ///< threads, not joints, that wait for it, directly or through others
  std::vector<std::uint32_t> circle;  ///< the threads of the circle; empty without a circle
};

struct HealthReport {
  std::vector<ThreadHealth> threads;  ///< in the order of the plan; then threads of processes without a plan
  std::vector<Culprit> culprits;      ///< sorted: most waiting threads first
  std::vector<ElementWait> element_waits;  ///< in the order of their elements
  JobReport job;  ///< on the ranks of MPI jobs, each job judged as a whole (monitors/heartbeat/job_health.h)
  std::vector<CulpritStack> stacks;  ///< of culprits and causes, if the heartbeat shows stacks
  std::size_t stalled{0};
  /// Threads that delay the others, if the monitor watches delays (monitors/delays/delay_watch.h).
  std::optional<DelayReport> delays{};
  /// Number of processes without a plan that were seen and have since ended; their threads are not in
  /// `threads`.
  std::size_t gone_processes{0};
  /// Number of ranks of MPI jobs that have returned from MPI_Finalize and ended.
  std::size_t finalized_ranks{0};

  /// Whether all threads and processes have ended in an orderly way: none is dead, and each rank of an MPI
  /// job has called MPI_Finalize.
  [[nodiscard]] bool has_ended() const noexcept;
};

/// Determines from views of the newest event of each thread which threads make progress, which do not, and
/// for which threads the others wait. This is the heartbeat monitor of the EventSpace paper, section 5.1,
/// extended by the operation in flight and by the kernel's state of each thread. A thread whose process the
/// view neither reports nor lists as missing is judged by its records alone. Does no I/O and reads no clock;
/// remembers earlier views. Not thread-safe.
///
/// Threads of processes without a plan are judged from the first view that reports them until a view lacks
/// their process although its server has answered.
class HeartbeatAnalysis {
 public:
  /// Judges the threads of which `tree` reads at least one trace element. A thread without an event for
  /// `stall_after` counts as stalled. `plan` must outlive this object.
  HeartbeatAnalysis(const Plan& plan, const ScopeTree& tree, std::chrono::nanoseconds stall_after);
  /// Judges the threads with the numbers `watched`, from all their trace elements.
  HeartbeatAnalysis(const Plan& plan, const std::vector<std::uint32_t>& watched,
                    std::chrono::nanoseconds stall_after);

  /// Judges the view that was pulled at `at` on the monitor's timeline (monitors/watching/timeline.h).
  HealthReport observe(const View& view, std::chrono::steady_clock::time_point at);

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Memory {
    std::int32_t pid{0};             ///< of the process to which the other members belong
    std::uint64_t start_ticks{0};    ///< of that process
    std::optional<Time> first_seen;  ///< when the thread was first seen bound in a running process
    std::optional<Time> last_event;  ///< when the newest event of the last view that had one began or ended
    std::uint64_t cpu_ns{0};         ///< at `cpu_at`
    Time cpu_at;
    bool has_cpu{false};
    bool uses_processor{false};
    std::uint64_t in_flight_since{0};  ///< RecordHeader::start of the operation last seen in flight
    std::uint64_t cpu_before_ns{0};    ///< at the last view before the operation was first seen
    struct Undated {
      EventRecord record;
      Time first_seen;
    };
    std::optional<Undated> undated;  // the newest record, if its clock jumped back since
  };
  struct Dated;
  struct Evidence;

  HeartbeatAnalysis(const Plan& plan, std::vector<std::uint32_t> watched, const std::set<TraceIndex>& traces,
                    std::chrono::nanoseconds stall_after);
  ThreadHealth judge_missing(std::uint32_t thread, const Missing* cause) const;
  ThreadHealth judge(std::uint32_t thread, const Evidence& evidence, const View& view, Time at);
  ThreadHealth judge_seen(std::uint32_t thread, const Evidence& evidence, RunState state, Time at);
  void date(ThreadHealth& health, const Evidence& evidence, Time at);
  static std::chrono::nanoseconds silence_after(const Dated& newest, Memory& memory, Time at);
  Memory& memory_of(std::uint32_t thread, const Evidence& evidence);
  void follow_dynamic(const View& view);
  void count_gone(const View& view);
  void judge_stand_in(ThreadHealth& health) const;
  void judge_silence(ThreadHealth& health, const Evidence& evidence, Time at);
  void watch_processor(Memory& memory, const ThreadReport& kernel, Time at);
  [[nodiscard]] bool lacks_processor(const ThreadHealth& health, Memory& memory,
                                     const ThreadReport& kernel) const;

  const Plan* plan_;
  std::vector<std::uint32_t> watched_;
  std::set<std::uint32_t> dynamic_;  // threads of processes without a plan
  std::set<std::uint32_t> seen_;     // their processes that have not ended
  std::size_t gone_{0};              // number of their processes that have ended
  std::chrono::nanoseconds stall_after_;
  std::unordered_map<std::uint32_t, Memory> memory_;
  Attendance attendance_;
};

/// Finds the threads for which the stalled threads wait; pure. `threads` is HealthReport::threads: the
/// function sets `absent_from` of each thread for which other threads, stuck in a collective operation, wait.
/// `attendance` must have observed the same view.
///
/// A thread that is stuck in an operation on an element waits for the threads that could end that wait
/// (`element_waits`). If there is only one such thread, it waits for that thread. If all are gone (is_gone),
/// it waits for each of them. If all threads that are not gone are stalled, any of them would be enough. If
/// one of them is not stalled, the wait may end by itself, and the stuck thread does not wait for any. For a
/// thread stuck in a call of PVM, see pvm_waits.h. A thread that is stuck in a collective operation waits for
/// each thread that has not contributed. If all visible threads have contributed, it waits for the
/// unreachable, stopped or dead threads. Without such threads it does not wait for any, because the result
/// may be on its way.
std::vector<Culprit> find_culprits(const Plan& plan, const Attendance& attendance,
                                   const std::vector<ElementWait>& element_waits,
                                   std::vector<ThreadHealth>& threads);

}  // namespace eventspace
