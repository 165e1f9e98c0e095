#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "monitors/efficiency/call_sites.h"
#include "monitors/efficiency/call_waits.h"
#include "monitors/efficiency/ideal_clocks.h"
#include "monitors/efficiency/ideal_run.h"
#include "monitors/efficiency/observed_processes.h"
#include "monitors/efficiency/record_gaps.h"
#include "monitors/efficiency/region_times.h"
#include "monitors/efficiency/unit_times.h"
#include "monitors/profile/profiled_events.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::efficiency {

/// The execution units of a program and their times, from views of unread events, of a running session or a
/// recording. The units are the threads that communicate; if none does, all threads with events. An MPI rank
/// is the thread that calls MPI. A rank is observed from the end of MPI_Init to the begin of MPI_Finalize,
/// another thread from its first event, or from the begin of the observation if it has had events before, to
/// its last event, or to the end of the observation if its process lives on.
///
/// Events of one unit are held until all that ended before are known, since they come from several trace
/// elements. Up to `max_held` are held; then the earliest are used. Of all threads that are not units yet, up
/// to `max_early_marks` ends of iterations are held. Not thread-safe.
class ObservedUnits {
 public:
  static constexpr std::size_t max_held = 1 << 20;
  static constexpr std::size_t max_early_marks = 1 << 16;

  struct Settings {
    std::optional<std::int64_t> begin_ns{};  ///< events before it do not count; nullopt: all count
    std::int64_t origin_ns{0};               ///< of the spans, and where units begin that began before
    std::optional<std::chrono::nanoseconds> every{};  ///< length of the spans
    std::string iteration_end{};  ///< name of the probe that ends an iteration; empty: none
  };
  /// `plan` may be null, for programs without paths. `ideal` is null if the run was not simulated. All must
  /// outlive it.
  ObservedUnits(const Plan* plan, const PlanNames& names, Settings settings, const IdealRun* ideal);

  /// Learns from the newest events at the begin of the observation which threads are there.
  void see(const View& newest);
  void add(const View& view);
  /// To be called after the last view, with the newest events and the events in flight.
  void finish(const View& newest);

  /// Whether the observation begins with the run.
  [[nodiscard]] bool is_from_begin() const noexcept { return !settings_.begin_ns; }
  [[nodiscard]] const UnitTimes& times() const noexcept { return times_; }
  [[nodiscard]] const IdealClocks& clocks() const noexcept { return clocks_; }
  [[nodiscard]] std::vector<CallSites::Site> sites() const { return sites_.sites(); }
  /// The regions and phases that units passed, by name.
  [[nodiscard]] std::vector<RegionTimes::Region> regions() const;

  [[nodiscard]] const ObservedProcesses& processes() const noexcept { return processes_; }
  [[nodiscard]] std::string name_of(std::uint32_t unit) const;  ///< "rank 3", or the thread's name
  [[nodiscard]] std::optional<std::uint32_t> task_of(std::uint32_t unit) const;  ///< of the IdealRun
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  /// The names of the probes that were passed, to tell of a wrong name; some of them if they are many.
  [[nodiscard]] const std::set<std::string>& probes() const noexcept { return probes_; }

  [[nodiscard]] const RecordGaps& gaps() const noexcept { return gaps_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept;

 private:
  struct Item {
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};
    CallWaits::Waits waits{};
    bool is_mark{false};
    std::uint64_t iteration{0};
  };
  struct Thread {
    std::uint32_t process{0};
    bool was_there{false};  // when observation began
    bool is_unit{false};
    bool has_finalized{false};
    std::optional<std::int64_t> first_ns{};
    std::int64_t last_ns{0};
    std::vector<Item> held{};
    std::uint64_t marks_left_out{0};  // while it was not a unit
  };

  Thread* thread_of(std::uint32_t number, const ProcessReport& process);
  void add_region(RecordHeader header, std::uint32_t probe, const ProcessReport& process);
  void add_call(std::span<const TraceTuple> event, const ProcessReport& process);
  void add_marks(const View& view);
  void hold_mark(Thread& thread, std::int64_t at_ns, std::uint64_t iteration);
  void make_unit(Thread& thread);
  void note_earlier(std::uint32_t number, Thread& thread, const TraceTuple& record);
  void begin_unit(std::uint32_t number, Thread& thread, const RecordHeader& first, std::int64_t begin_ns);
  bool follow_mpi(Thread& thread, std::uint32_t number, const TraceTuple& record, std::int64_t begin_ns,
                  std::int64_t end_ns);
  void add_in_flight(const View& newest);
  void forget_ideal();
  void settle(bool all);
  void use(std::uint32_t number, std::vector<Item>& items);
  [[nodiscard]] bool is_of_thread(const RecordHeader& header) const;
  [[nodiscard]] std::optional<double> ideal_length(std::uint32_t unit, std::int64_t from_ns,
                                                   std::int64_t to_ns) const;

  const Plan* plan_;
  const PlanNames* names_;
  Settings settings_;
  const IdealRun* ideal_;
  ProfiledEvents events_;
  CallWaits waits_;
  UnitTimes times_;
  IdealClocks clocks_;
  CallSites sites_;
  RegionTimes regions_;
  std::map<std::uint32_t, Thread> threads_;
  std::map<std::uint32_t, std::uint32_t> units_of_process_;  // their number
  std::size_t held_{0};
  std::size_t early_marks_{0};  // held of threads that are not units
  ObservedProcesses processes_;
  RecordGaps gaps_;
  std::set<std::string> probes_;
  std::uint64_t calls_{0};
  std::uint64_t left_out_{0};
};

}  // namespace eventspace::efficiency
