#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/loss.h>
#include <eventspace/operation.h>
#include "paths/views/aggregate.h"
#include "paths/views/clock_relation.h"
#include "paths/views/collective_part.h"
#include "paths/views/records.h"
#include "tuplespace/processes/process_usage.h"
#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/collect_switch.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The state of a process. The numbers are part of the wire format.
enum class RunState : std::uint8_t {
  running = 1,
  stopped = 2,  ///< by a signal (SIGSTOP) or a debugger
  dead = 3,     ///< ended without closing its segment: killed or crashed
  ended = 4,    ///< ended normally
  /// Alive in another PID namespace (a container); whether it is stopped is not visible.
  hidden = 5,
  /// In another PID namespace, and its file lacks a lock that would show whether it is alive.
  unknown = 6
};
std::string_view to_string(RunState state) noexcept;
/// Whether the process may record and wait: all except `dead` and `ended`.
constexpr bool may_live(RunState state) noexcept {
  return state != RunState::dead && state != RunState::ended;
}

/// The kernel's data on one thread of the application.
struct ThreadReport {
  std::uint32_t thread{0};  ///< number in the plan
  std::int32_t tid{0};      ///< 0 if the thread has not bound itself yet
  char state{'?'};          ///< as in ProcessStat; X if the thread no longer exists
  std::uint64_t cpu_ns{0};

  /// False if the thread has not bound itself, or its state could not be read. `cpu_ns` is meaningless then.
  [[nodiscard]] bool is_known() const noexcept { return tid != 0 && state != '?'; }
  /// A main thread that left before others stays as a zombie.
  [[nodiscard]] bool has_ended() const noexcept { return tid != 0 && (state == 'X' || state == 'Z'); }
  friend bool operator==(const ThreadReport&, const ThreadReport&) = default;
};

/// Describes a process whose segment was read: its state, and its clock's relation to other clocks.
struct ProcessReport {
  std::uint32_t process{0};  ///< number in the plan
  std::int32_t pid{0};
  /// Distinguishes processes that had the same id. Both come from the server's /proc, even for a process in
  /// an inner PID namespace. For a process that is not in that /proc, they come from its own namespace, and
  /// the highest bit of the start is set, so that it differs from all start times in /proc.
  std::uint64_t start_ticks{0};
  RunState state{RunState::running};
  std::uint64_t now_ticks{0};  ///< the process's clock, read at this pull
  ClockCalibration clock;
  std::int64_t now_monotonic_ns{0};  ///< CLOCK_MONOTONIC of its node at the same moment
  std::int64_t now_error_ns{0};      ///< bound of the error of now_monotonic_ns
  double rate_ppm{0};                ///< how much faster the node's clock ran recently than `clock` states
  double rate_error_ppm{0};          ///< bound of the error of rate_ppm, at most max_ppm
  static constexpr double max_ppm = 1e6;
  /// From the node's CLOCK_MONOTONIC to the CLOCK_MONOTONIC of the process that holds the view.
  ClockRelation relation;
  /// The events that it records, according to its control file; without one, all.
  CollectState collecting;
  /// For unread events, by the process's clock: its events that ended by then are in this view or were in
  /// earlier views, as far as they are kept; later views have only later events. It is before `now_ticks`,
  /// because trace elements are read one after the other, and far before it if one of them has more events
  /// than one view takes.
  std::uint64_t complete_ticks{all_ticks};
  static constexpr std::uint64_t all_ticks = ~std::uint64_t{0};  ///< no events are known to follow
  /// For unread events: true if all runs of the process between the last run that a view reported and this
  /// one were read to their end.
  bool followed{false};
  /// Filled if Pull::with_threads is set. If a thread is in it twice, the last entry is the latest.
  std::vector<ThreadReport> threads;
  /// If Pull::with_usage is set, the resources of the machine that the process has used, unless it has ended
  /// or this could not be read.
  std::optional<ProcessUsage> usage;
  /// If Pull::with_in_flight is set and unread events are read, words 1 to 3 of the records in flight in its
  /// trace elements, from just before the unread events were read.
  std::vector<TraceTuple> in_flight;

  /// Converts a time of the process's clock to CLOCK_MONOTONIC of its node, with a bound of the error.
  [[nodiscard]] BoundedTime on_node(std::uint64_t ticks) const noexcept;
  /// Converts to CLOCK_MONOTONIC of the process that holds the view.
  [[nodiscard]] BoundedTime here(std::uint64_t ticks) const noexcept;
};

/// The work of one part of the scope (all that runs in one place) for one pull: the time from the request to
/// its view, which includes the parts below it and the sending of records ahead, and the size of its view.
struct LevelTime {
  std::string name;
  std::chrono::nanoseconds elapsed{};
  std::uint64_t records{0};
  std::uint64_t aggregates{0};
  friend bool operator==(const LevelTime&, const LevelTime&) = default;
};

/// Byte order of the words of trace tuples. The numbers are part of the wire format.
enum class ByteOrder : std::uint8_t { little = 1, big = 2 };
inline constexpr ByteOrder own_byte_order =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

/// The read position in a trace element of one run of a process; or a note that a process will no longer be
/// read.
struct ReadPosition {
  static constexpr std::int32_t over = -1;

  std::uint32_t trace{0};  ///< number in the plan
  std::uint32_t process{0};
  /// 0 if the process had not run yet. `over`: a dynamic process was read completely and is gone; its
  /// positions can be forgotten. The other members except `process` are meaningless then.
  std::int32_t pid{0};
  std::int64_t created_ns{0};  ///< when the run made its segment; distinguishes runs
  std::uint64_t sequence{0};

  [[nodiscard]] static ReadPosition of_ended_process(std::uint32_t process) noexcept {
    return {0, process, over, 0, 0};
  }
  friend bool operator==(const ReadPosition&, const ReadPosition&) = default;
};
constexpr bool is_same_run(const ReadPosition& a, const ReadPosition& b) noexcept {
  return a.process == b.process && a.pid == b.pid && a.created_ns == b.created_ns;
}

/// Data that a wrapper made from records for the consumer, which knows its form. Views pass it on unchanged.
struct ViewParcel {
  enum class Of : std::uint8_t {
    metric = 1,  ///< scopes/metrics/distribution/token_codec.h
    request = 2  ///< scopes/requests/request_result.h
  };
  Of of{Of::metric};
  std::vector<std::byte> body;
  friend bool operator==(const ViewParcel&, const ViewParcel&) = default;
};

/// The data of a view.
struct ViewData {
  Records records;
  std::vector<Aggregate> aggregates;             ///< made from records, in the order of their keys
  std::vector<CollectivePart> collective_parts;  ///< made from records of collective operations
  std::vector<CollectiveSum> collective_sums;    ///< made from the same records
  std::vector<ViewParcel> parcels;               ///< made from records
  /// The byte order in which a server sends the records on. In memory they are always in this machine's
  /// order.
  ByteOrder sent_in{own_byte_order};
  std::uint64_t gone_ahead{0};  ///< number of records, before all others, that Pull::ahead has taken
};

/// The kind of number in an OwnName. The values are part of the formats of segments and of the wire.
enum class OwnNameOf : std::uint16_t {
  thread = 1,  ///< a dynamic thread; the number is process-local
  probe = 2,   ///< a probe; the number is probe_number() of its name
  values = 3,  ///< the texts of a probe's values, separated by commas; the same number
  path = 4,    ///< a dynamic path; the number is process-local
  // Given by the reader of a dynamic process:
  process = 5,       ///< the process; the number is the one in reports
  node = 6,          ///< the node on which it runs; the same number
  communicator = 7,  ///< of MPI; the number is the same in all its processes, and derived from its identity
  /// The name that the program gave to the communicator of the same number; the last name counts.
  named_communicator = 8,
  communicator_members = 9,  ///< PlanNames::communicator_members; the same number
  site = 10,                 ///< a place in the program, "MODULE+0xOFFSET"; the number is process-local
  spawned_job = 11,          ///< of MPI: PlanNames::parent_of_job; the number is that of the job
  member = 12  ///< JobMember::text() of a process; given by the reader, the number is the one in reports
};

/// A dynamic name of a number in records and reports.
struct OwnName {
  OwnNameOf of{OwnNameOf::probe};
  std::uint32_t number{0};
  std::string text;
  friend bool operator==(const OwnName&, const OwnName&) = default;
};

/// Describes a view's data: their sources, and the losses.
struct ViewAccount {
  Loss loss;
  std::vector<Missing> missing;
  std::vector<ProcessReport> processes;
  std::vector<LevelTime> levels;
  std::uint64_t sources_read{0};
  /// For unread events: the new read positions of trace elements whose position moved or whose run changed
  /// since the last view.
  std::vector<ReadPosition> positions;
  /// Names of numbers in the records of this view or later views. Each name comes once, with the first view
  /// that may need it.
  std::vector<OwnName> names;
};

/// The result of one pull through a scope: data, and an account of the missing data. A record with
/// Status::under_way is an operation in flight. Plain data, not thread-safe.
///
/// A new field must be added to one of the two base classes and to its table in view.cpp, which otherwise
/// does not compile.
struct View : ViewData, ViewAccount {
  /// All fields except the data; can be copied and assigned separately.
  [[nodiscard]] ViewAccount& account() noexcept { return *this; }
  [[nodiscard]] const ViewAccount& account() const noexcept { return *this; }

  /// The number of records, including those that were sent ahead.
  [[nodiscard]] std::size_t record_count() const noexcept { return records.size() + gone_ahead; }

  /// Empties the view and keeps its memory.
  void clear();
  /// Appends `other` and adds up the counts. Aggregates with one key become one aggregate, reports of one
  /// process become the later report, and equal entries of `missing` become one entry.
  void append(View&& other);
};

/// A sink for the first records of a large view: it sends them to the client while the others are still being
/// read. Not thread-safe.
class RecordsAhead {
 public:
  /// Call this after appending records to `view`, if no stage will change, drop or reorder them. Takes any
  /// number of them out of `view`, from the front, and adds that number to View::gone_ahead.
  virtual void offer(View& view) = 0;
  /// The fewest records that are taken at a time; offering fewer is useless.
  static constexpr std::size_t worth_taking = 4096;

 protected:
  RecordsAhead() = default;
  ~RecordsAhead() = default;
  RecordsAhead(const RecordsAhead&) = default;
  RecordsAhead& operator=(const RecordsAhead&) = default;
};

/// The options of a pull, which each stage passes on to its children.
struct PullWishes {
  bool with_threads{false};    ///< fills ProcessReport::threads
  bool with_usage{false};      ///< fills ProcessReport::usage
  bool with_in_flight{false};  ///< fills ProcessReport::in_flight, if unread events are read
  /// The first look at a trace element begins with the events that ended at most this long ago; max() means
  /// with the oldest kept.
  std::chrono::nanoseconds look_back{std::chrono::nanoseconds::max()};
};

/// Request and result of an operation with Verb::pull.
///
/// Reads of unread events are transactions between neighbours in the tree: a stage that keeps read positions
/// commits them when the next pull confirms, with `after`, that the view arrived; otherwise it reads the
/// events again.
struct Pull : OperationBody, PullWishes {
  /// Makes the pull of a child, with these numbers and the parent's options.
  static Pull of_child(const OperationBody& numbers, const PullWishes& wishes) {
    Pull pull;
    static_cast<OperationBody&>(pull) = numbers;
    static_cast<PullWishes&>(pull) = wishes;
    return pull;
  }

  /// Sink for early records; null disables. Only one stage at a time may use it, in finish, and only if no
  /// stage between it and the sink needs the records.
  RecordsAhead* ahead{nullptr};
  View view;  ///< out
};

/// The body of an operation whose verb is Verb::pull. A server checks that a target does not accept other
/// verbs before any of its stages sees an operation (paths/bodies/target_kind.h).
[[nodiscard]] inline Pull& pull_of(Operation& operation) noexcept {
  return static_cast<Pull&>(*operation.body);
}
[[nodiscard]] inline const Pull& pull_of(const Operation& operation) noexcept {
  return static_cast<const Pull&>(*operation.body);
}

}  // namespace eventspace
