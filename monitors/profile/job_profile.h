#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectors/record_header.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/message_waits.h"
#include "monitors/profile/thread_regions.h"
#include "paths/views/view.h"
#include "scopes/metrics/events/event_condition.h"
#include "scopes/metrics/language/waiting.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Analyses where the time of a program goes, and which processes communicate: sums over the events of views,
/// with calls of MPI and PVM and operations on paths treated alike. Its only I/O is reading the files of
/// programs, to name places in them. Not thread-safe.
///
/// The time of each thread, and of each of its phases, from its first event to its last, is divided: *in
/// calls* is the time in recorded calls and operations, *compute* the rest, *waiting* the time in calls that
/// can wait for others (scopes/metrics/language/waiting.h), and *transfer* the time in the other calls. Calls
/// of one thread do not overlap. *Late* is the time by which calls exceeded the shortest of their sort
/// (message_waits.h): an estimate of the time that was lost because others came late.
///
/// The phases of a thread are the regions that it passes (EVENTSPACE_REGION of eventspace_probe.h), each
/// without the regions inside it. If a thread does not pass regions, its phases are those that it names with
/// MPI_Pcontrol: a phase begins with that call, and has the number of its level; before the first such call,
/// and after one with a negative level, the thread is in no phase. If records of that call were lost, the
/// last known phase continues.
///
/// The matrix has the messages of point-to-point calls of MPI and of PVM, counted where they are sent, and
/// the tuples that threads write to elements with one other user. A multicast or broadcast of PVM is a
/// message to each of its destinations. Other collective operations are not in the matrix, since their
/// senders and receivers are unknown. Calls that functions of PVM make themselves are part of these
/// functions.
class JobProfile {
 public:
  static constexpr std::size_t max_entries = 1 << 20;  ///< of each table; others are in left_out()

  /// `names` must outlive it.
  explicit JobProfile(const PlanNames& names)
      : names_(&names),
        waits_for_others_(metrics::waiting_condition, names),
        communicators_(names),
        reader_(communicators_) {}

  void add(const View& view);
  /// To be called after the last view, before the results are read: calls that wait for the end of a region
  /// around them are assigned to the open region, or to none.
  void settle();

  struct Thread {
    std::string name;
    std::string node;
    std::string phase;  ///< one of phases(); "-" for none
    std::uint64_t calls{0};
    std::chrono::nanoseconds span{0};
    std::chrono::nanoseconds in_calls{0};
    std::chrono::nanoseconds waiting{0};
    std::chrono::nanoseconds late{0};
    [[nodiscard]] std::chrono::nanoseconds transfer() const noexcept { return in_calls - waiting; }
    [[nodiscard]] std::chrono::nanoseconds compute() const noexcept {
      return span > in_calls ? span - in_calls : std::chrono::nanoseconds(0);
    }
  };
  [[nodiscard]] std::vector<Thread> threads() const;  ///< the longest waiting ones first
  /// A row for each thread and phase, in the same order; empty if all threads have a single phase.
  [[nodiscard]] std::vector<Thread> phases() const;

  struct Flow {
    std::string from;
    std::string to;
    std::string over;  ///< a communicator, a path, or "PVM"
    std::uint64_t messages{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] std::vector<Flow> flows() const;  ///< the ones with most bytes first

  /// Messages, collective operations or tuples of `least` to `most` bytes.
  struct Size {
    std::string_view what;
    std::uint64_t least{0};
    std::uint64_t most{0};
    std::uint64_t count{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] std::vector<Size> sizes() const;

  struct CallSum {
    std::string call;
    std::string site;  ///< empty: unknown
    std::uint64_t calls{0};
    std::chrono::nanoseconds time{0};
    std::chrono::nanoseconds longest{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] std::vector<CallSum> calls() const;  ///< the ones that took longest first

  [[nodiscard]] std::uint64_t left_out() const noexcept;
  /// Calls of MPI by processes that MPI_Comm_spawn has started: their messages are left out.
  [[nodiscard]] std::uint64_t calls_of_spawned() const noexcept { return calls_of_spawned_; }

 private:
  enum class Sort : std::uint8_t { message, collective, tuple };
  struct ThreadSum {
    std::uint32_t process{0};
    std::uint64_t calls{0};
    std::uint64_t first{0};  // ticks
    std::uint64_t last{0};
    std::chrono::nanoseconds span{0};
    std::chrono::nanoseconds in_calls{0};
    std::uint32_t phase{no_phase};
    std::uint64_t phase_began{0};          // ticks
    std::chrono::nanoseconds of_phase{0};  // from phase_began to the last event
    double ns_per_tick{1};
    ThreadRegions regions{};
  };
  static constexpr std::uint32_t no_phase = MpiCallRecord::none;  // the level of a call is recorded as this
  static constexpr std::uint32_t first_region = 1u << 31;         // larger than all levels
  static_assert(no_phase == ~0u);
  struct PhaseKey {
    std::uint32_t thread{0};
    std::uint32_t phase{no_phase};
    friend auto operator<=>(const PhaseKey&, const PhaseKey&) = default;
  };
  struct PhaseSum {
    std::uint32_t number{0};  // in waits_
    std::uint64_t calls{0};
    std::chrono::nanoseconds span{0};  // total length of the phase's finished parts
    std::chrono::nanoseconds in_calls{0};
    std::chrono::nanoseconds waiting{0};
  };
  enum class Parties : std::uint8_t { threads, tasks_of_pvm, ranks };
  struct FlowKey {
    Parties of{Parties::threads};
    std::uint32_t from{0};
    std::uint32_t to{0};
    std::uint32_t over{0};
    friend auto operator<=>(const FlowKey&, const FlowKey&) = default;
  };
  struct Amount {
    std::uint64_t count{0};
    std::uint64_t bytes{0};
  };
  struct CallKey {
    std::string call;
    std::string site;
    friend auto operator<=>(const CallKey&, const CallKey&) = default;
  };

  void choose_points(const View& view);
  bool is_at_its_point(const RecordHeader& header);
  void add_event(std::span<const TraceTuple> event, const ProcessReport& process, std::uint32_t number);
  void begin_phase(ThreadSum& thread, const RecordHeader& header, std::uint32_t phase,
                   const ProcessReport& process);
  static void extend(ThreadSum& thread, const RecordHeader& header, const ProcessReport& process);
  PhaseSum* phase_of(std::uint32_t thread, std::uint32_t phase);
  void add_region(const TraceTuple& record, const ProcessReport& process);
  [[nodiscard]] std::uint32_t region_named(std::uint32_t probe);
  ThreadSum* thread_of(const RecordHeader& header, const ProcessReport& process);
  [[nodiscard]] ThreadRegions::Found attribution(std::uint32_t thread);
  void attribute(std::uint32_t thread, const PhasedCall& call, std::optional<std::uint32_t> region);
  [[nodiscard]] Thread row_of(std::uint32_t thread, const std::string& phase) const;
  void add_phases_of_regions(std::uint32_t number, const ThreadSum& thread,
                             std::map<std::uint32_t, std::chrono::nanoseconds>& waited,
                             std::vector<Thread>& all) const;
  std::optional<PhasedCall::Wait> add_call(std::span<const TraceTuple> event, std::uint32_t number,
                                           std::chrono::nanoseconds duration);
  void add_pvm_event(std::span<const TraceTuple> event, const ProcessReport& process);
  std::optional<PhasedCall::Wait> add_pvm_call(std::span<const TraceTuple> event,
                                               std::chrono::nanoseconds duration);
  void add_pvm_messages(std::span<const TraceTuple> event);
  void add_flow(const FlowKey& key, std::uint64_t bytes);
  void add_messages(std::span<const TraceTuple> event, std::uint32_t rank);
  void add_sent(std::uint32_t rank, const MpiCallRecord& message);
  PhasedCall::Wait add_operation(const TraceTuple& record, std::chrono::nanoseconds duration);
  [[nodiscard]] std::map<std::uint32_t, std::chrono::nanoseconds> waited() const;
  /// `calls`: how many calls took this time together.
  void add_to_call(const CallKey& key, std::chrono::nanoseconds duration, std::uint64_t bytes,
                   std::uint32_t calls = 1);
  void add_size(Sort sort, std::uint64_t bytes);
  template <class Map, class Key>
  typename Map::mapped_type* entry_of(Map& map, const Key& key);
  [[nodiscard]] std::string name_of(const FlowKey& key, std::uint32_t end) const;
  [[nodiscard]] std::string_view way_of(const FlowKey& key) const;
  static std::uint32_t calls_of(const TraceTuple& record);

  const PlanNames* names_;
  metrics::EventCondition waits_for_others_;
  JobCommunicators communicators_;
  CallReader reader_;
  MessageWaits waits_;
  std::map<std::uint32_t, std::uint16_t> points_;  // by path; up to max_entries
  std::map<std::uint32_t, ThreadSum> threads_;
  std::map<PhaseKey, PhaseSum> phases_;
  std::vector<std::string> regions_;  // the names of phases from first_region on
  std::map<std::string, std::uint32_t> numbers_of_regions_;
  std::map<FlowKey, Amount> flows_;
  std::map<std::uint32_t, std::uint32_t> threads_of_tasks_;  // of PVM
  std::map<std::pair<Sort, int>, Amount> sizes_;
  std::map<CallKey, CallSum> calls_;
  std::uint64_t left_out_{0};
  std::uint64_t calls_of_spawned_{0};
};

}  // namespace eventspace
