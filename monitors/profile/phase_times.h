#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "collectors/record_header.h"
#include "monitors/mpi/message_waits.h"
#include "monitors/profile/bounded_map.h"
#include "monitors/profile/thread_regions.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Divides the time of each thread among its phases, and the time of each phase into compute, transfer and
/// waiting; JobProfile explains the terms.
///
/// 1. A call is in one phase: add() finds its thread and the phase that the thread has named, and assign()
///    moves the call to the region around it, as soon as that is known.
/// 2. A thread that passes regions has these as its phases, and the time outside them as one more.
///
/// Not thread-safe.
class PhaseTimes {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  static constexpr std::uint32_t no_phase = MpiCallRecord::none;  ///< a negative level is recorded as this

  /// `names` must outlive it.
  explicit PhaseTimes(const PlanNames& names) : names_(&names) {}

  /// An ended call, or several consecutive ones in one record.
  struct Call {
    RecordHeader header;
    std::uint32_t calls{1};
    std::optional<std::uint32_t> begins_phase{};
  };
  /// Adds the call to the times of its thread. Returns it for assign(); nullopt if there is no room for the
  /// thread.
  [[nodiscard]] std::optional<PhasedCall> add(const Call& call, const ProcessReport& process);
  void assign(std::uint32_t thread, const PhasedCall& call);
  /// Adds a region of a thread. `probe`: the number of its name. Add regions before the calls of their view.
  void add_region(const RecordHeader& header, std::uint32_t probe, const ProcessReport& process);
  /// To be called before the results are read: calls that wait for the end of a region around them are
  /// assigned to the open region, or to none.
  void settle();

  struct Thread {
    std::string name;
    std::string node;
    std::string phase;  ///< one of phases(); "-" for none
    std::uint64_t calls{0};
    nanoseconds span{0};
    nanoseconds in_calls{0};
    nanoseconds waiting{0};
    nanoseconds late{0};
    std::uint32_t number{0};              ///< of the thread
    std::optional<std::uint32_t> rank{};  ///< of its process in the first job of MPI
    [[nodiscard]] nanoseconds transfer() const noexcept { return in_calls - waiting; }
    [[nodiscard]] nanoseconds compute() const noexcept {
      return span > in_calls ? span - in_calls : nanoseconds(0);
    }
  };
  [[nodiscard]] std::vector<Thread> threads() const;  ///< the longest waiting ones first
  /// A row for each thread and phase, in the same order; empty if all threads have a single phase.
  [[nodiscard]] std::vector<Thread> phases() const;
  [[nodiscard]] std::uint64_t left_out() const noexcept;

 private:
  struct ThreadSum {
    std::uint32_t process{0};
    std::uint64_t calls{0};
    std::uint64_t first{0};  // ticks
    std::uint64_t last{0};
    nanoseconds span{0};
    nanoseconds in_calls{0};
    std::uint32_t phase{no_phase};
    std::uint64_t phase_began{0};  // ticks
    nanoseconds of_phase{0};       // from phase_began to the last event
    double ns_per_tick{1};
    ThreadRegions regions{};
  };
  static constexpr std::uint32_t first_region = 1u << 31;  // larger than all levels
  static_assert(no_phase == ~0u);
  struct PhaseKey {
    std::uint32_t thread{0};
    std::uint32_t phase{no_phase};
    friend auto operator<=>(const PhaseKey&, const PhaseKey&) = default;  // NOLINT(modernize-use-nullptr)
  };
  struct PhaseSum {
    std::uint32_t number{0};  // in waits_
    std::uint64_t calls{0};
    nanoseconds span{0};  // total length of the phase's finished parts
    nanoseconds in_calls{0};
    nanoseconds waiting{0};
  };

  ThreadSum* thread_of(const RecordHeader& header, const ProcessReport& process);
  PhaseSum* phase_of(std::uint32_t thread, std::uint32_t phase);
  void begin_phase(ThreadSum& thread, const RecordHeader& header, std::uint32_t phase,
                   const ProcessReport& process);
  static void extend(ThreadSum& thread, const RecordHeader& header, const ProcessReport& process);
  [[nodiscard]] std::uint32_t region_named(std::uint32_t probe);
  [[nodiscard]] ThreadRegions::Found attribution(std::uint32_t thread);
  void attribute(std::uint32_t thread, const PhasedCall& call, std::optional<std::uint32_t> region);
  [[nodiscard]] std::map<std::uint32_t, nanoseconds> waited() const;
  [[nodiscard]] Thread row_of(std::uint32_t thread, const std::string& phase) const;
  void add_phases_of_regions(std::uint32_t number, const ThreadSum& thread,
                             std::map<std::uint32_t, nanoseconds>& waited, std::vector<Thread>& all) const;

  const PlanNames* names_;
  MessageWaits waits_;
  BoundedMap<std::uint32_t, ThreadSum> threads_;
  BoundedMap<PhaseKey, PhaseSum> phases_;
  std::vector<std::string> regions_;  // the names of phases from first_region on
  std::map<std::string, std::uint32_t> numbers_of_regions_;
};

}  // namespace eventspace
