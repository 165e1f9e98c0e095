#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectors/record_header.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/message_waits.h"
#include "monitors/profile/bounded_map.h"
#include "monitors/profile/phase_times.h"
#include "monitors/profile/profiled_events.h"
#include "monitors/profile/traffic.h"
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
  /// Of each table. Attempts to add others are counted in left_out().
  static constexpr std::size_t max_entries = max_profile_entries;

  /// Sums that the command does not print.
  struct Details {
    bool calls_of_threads{false};  ///< for calls_of()
    bool waits_of_pairs{false};    ///< for late_of_pairs()
  };

  /// `names` must outlive it.
  explicit JobProfile(const PlanNames& names) : JobProfile(names, Details()) {}
  JobProfile(const PlanNames& names, const Details& details)
      : names_(&names),
        details_(details),
        waits_for_others_(metrics::waiting_condition, names),
        communicators_(names),
        events_(names),
        reader_(communicators_),
        times_(names),
        traffic_(names) {}

  void add(const View& view);
  /// To be called after the last view, before the results are read. See PhaseTimes.
  void settle() { times_.settle(); }

  /// See PhaseTimes and Traffic.
  using Thread = PhaseTimes::Thread;
  using Flow = Traffic::Flow;
  using Size = Traffic::Size;
  [[nodiscard]] std::vector<Thread> threads() const { return times_.threads(); }
  [[nodiscard]] std::vector<Thread> phases() const { return times_.phases(); }
  [[nodiscard]] std::vector<Flow> flows() const { return traffic_.flows(); }
  [[nodiscard]] std::vector<Size> sizes() const { return traffic_.sizes(); }

  struct CallSum {
    std::string call;
    std::string site;  ///< empty: unknown
    std::uint64_t calls{0};
    std::chrono::nanoseconds time{0};
    std::chrono::nanoseconds longest{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] std::vector<CallSum> calls() const;  ///< the ones that took longest first
  /// The calls of one thread, in the same order.
  [[nodiscard]] std::vector<CallSum> calls_of(std::uint32_t thread) const;

  /// By how much calls of a rank were late because another rank sent, or received, its message late.
  struct PairLate {
    std::string from;  ///< the sender of the messages
    std::string to;
    std::chrono::nanoseconds late{0};
  };
  [[nodiscard]] std::vector<PairLate> late_of_pairs() const;

  [[nodiscard]] std::uint64_t left_out() const noexcept;
  /// Calls of MPI by processes that MPI_Comm_spawn has started: their messages are left out.
  [[nodiscard]] std::uint64_t calls_of_spawned() const noexcept { return calls_of_spawned_; }

 private:
  struct CallKey {
    std::string call;
    std::string site;
    friend auto operator<=>(const CallKey&, const CallKey&) = default;  // NOLINT(modernize-use-nullptr)
  };

  void add_event(std::span<const TraceTuple> event, const ProcessReport& process);
  std::optional<PhasedCall::Wait> add_call(std::span<const TraceTuple> event, std::uint32_t number,
                                           std::chrono::nanoseconds duration);
  void add_pvm_event(std::span<const TraceTuple> event, const ProcessReport& process);
  std::optional<PhasedCall::Wait> add_pvm_call(std::span<const TraceTuple> event,
                                               std::chrono::nanoseconds duration);
  void add_pvm_messages(std::span<const TraceTuple> event);
  void add_messages(std::span<const TraceTuple> event, std::uint32_t rank);
  void add_sent(std::uint32_t rank, const MpiCallRecord& message);
  PhasedCall::Wait add_operation(const TraceTuple& record, std::chrono::nanoseconds duration);
  /// `calls`: how many calls took this time together.
  void add_to_call(std::uint32_t thread, const CallKey& key, std::chrono::nanoseconds duration,
                   std::uint64_t bytes, std::uint32_t calls = 1);

  const PlanNames* names_;
  Details details_;
  metrics::EventCondition waits_for_others_;
  JobCommunicators communicators_;
  ProfiledEvents events_;
  CallReader reader_;
  PhaseTimes times_;
  Traffic traffic_;
  BoundedMap<CallKey, CallSum> calls_;
  BoundedMap<std::pair<std::uint32_t, const CallSum*>, CallSum>
      calls_of_threads_;         // by thread and entry above
  MessageWaits waits_of_pairs_;  // by rank
  std::uint64_t left_out_{0};
  std::uint64_t calls_of_spawned_{0};
};

}  // namespace eventspace
