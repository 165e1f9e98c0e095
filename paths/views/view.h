#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paths/views/aggregate.h"
#include "paths/views/clock_relation.h"
#include "paths/views/collective_part.h"
#include "tuplespace/operation.h"
#include "tuplespace/trace/clock_calibration.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Trace tuples that a pull did not yield, by cause; sums over everything below.
struct Loss {
  std::uint64_t discarded{0};  ///< overwritten in their trace element before they were read
  std::uint64_t torn{0};       ///< refused: their slot was damaged
  std::uint64_t filtered{0};   ///< dropped by a filter, or older than a first look was to go back, as asked
  std::uint64_t reduced{0};    ///< stood for by those that a reduce kept, by an aggregate or by other results
  std::uint64_t repeated{0};   ///< came again, and were dropped
  std::uint64_t earlier{0};    ///< overwritten before this scope first looked
  std::uint64_t failed{0};     ///< a wrapper of somebody else's threw while it acted on them
  Loss& operator+=(const Loss& other) noexcept;
  friend bool operator==(const Loss&, const Loss&) = default;
};

/// Why a pull could not read what it should.
enum class MissingCause : std::uint8_t {
  no_answer = 1,   ///< a server did not answer in time: dead, stopped, unreachable or too slow
  no_segment = 2,  ///< the process has no segment: not started yet, or ended
  refused = 3,     ///< a segment or a server refused; the detail says why
  late = 4,        ///< too little time was left to ask
  restarted = 5,   ///< the process was started anew and not all of it can be read; the detail says what
  skipped = 6,     ///< it was late in a pull before, and this one did without it
  failed = 7       ///< a wrapper of somebody else's threw; the detail says what
};
std::string_view to_string(MissingCause cause) noexcept;

/// A part of the scope that this pull could not read, named.
struct Missing {
  std::string node;
  std::string what;  ///< "server of node n2", "process p1"
  MissingCause cause{MissingCause::no_answer};
  std::string detail;
  std::uint32_t sources{0};  ///< how many trace elements that concerns
  friend bool operator==(const Missing&, const Missing&) = default;
};

enum class RunState : std::uint8_t {
  running = 1,
  stopped = 2,  ///< by a signal (SIGSTOP) or a debugger
  dead = 3,     ///< gone without having ended in an orderly way
  ended = 4     ///< left in an orderly way
};
std::string_view to_string(RunState state) noexcept;

/// What the kernel says of one thread of the application.
struct ThreadReport {
  std::uint32_t thread{0};  ///< number in the plan
  std::int32_t tid{0};      ///< 0: it has not bound itself yet
  char state{'?'};          ///< as in ProcessStat
  std::uint64_t cpu_ns{0};
  friend bool operator==(const ThreadReport&, const ThreadReport&) = default;
};

/// What is known of a process whose segment was read.
struct ProcessReport {
  std::uint32_t process{0};  ///< number in the plan
  std::int32_t pid{0};
  std::uint64_t start_ticks{0};  ///< tells apart processes that had the same id
  RunState state{RunState::running};
  std::uint64_t now_ticks{0};  ///< the process's clock, read by the server at this pull
  ClockCalibration clock;
  std::int64_t now_monotonic_ns{0};  ///< CLOCK_MONOTONIC of its node at the same moment...
  std::int64_t now_error_ns{0};      ///< ...which it may miss by so much
  double rate_ppm{0};                ///< by how much that clock ran faster, of late, than `clock` counts...
  double rate_error_ppm{0};          ///< ...which it may miss by so much; most_ppm at most
  static constexpr double most_ppm = 1e6;
  ClockRelation relation;  ///< from that clock to the one of whoever holds the view
  bool followed{false};    ///< whoever reads its unread events has read what came before it, since what any
                           ///< view told of, to the end
  std::vector<ThreadReport> threads;  ///< filled when Pull::with_threads asks for it

  /// A moment by the process's clock, on CLOCK_MONOTONIC of its node; how far that can be off is known.
  [[nodiscard]] BoundedTime on_node(std::uint64_t ticks) const noexcept;
  /// The same on CLOCK_MONOTONIC of whoever holds the view.
  [[nodiscard]] BoundedTime here(std::uint64_t ticks) const noexcept;
};

/// What a part of the scope, all that runs in one place, did for one pull: its time, from when it was asked,
/// its own parts and the sending of records that went ahead included, and what it yielded to whoever asked
/// it.
struct LevelTime {
  std::string name;
  std::chrono::nanoseconds elapsed{};
  std::uint64_t records{0};
  std::uint64_t aggregates{0};
  friend bool operator==(const LevelTime&, const LevelTime&) = default;
};

/// Of the words of trace tuples. The numbers are part of the wire format.
enum class ByteOrder : std::uint8_t { little = 1, big = 2 };
inline constexpr ByteOrder own_byte_order =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

/// How far a trace element of one run of a process was read.
struct ReadPosition {
  std::uint32_t trace{0};  ///< number in the plan
  std::uint32_t process{0};
  std::int32_t pid{0};         ///< 0: there was no run yet
  std::int64_t created_ns{0};  ///< when that run made its segment; tells runs apart
  std::uint64_t sequence{0};
  friend bool operator==(const ReadPosition&, const ReadPosition&) = default;
};
constexpr bool is_same_run(const ReadPosition& a, const ReadPosition& b) noexcept {
  return a.process == b.process && a.pid == b.pid && a.created_ns == b.created_ns;
}

/// Records as a message brought them, where they came in.
struct RecordBlock {
  std::shared_ptr<const void> memory;  ///< in which they lie
  std::span<const std::byte> bytes;    ///< whole trace tuples in this machine's byte order, at any address
};

/// The data of a view.
struct ViewData {
  std::vector<TraceTuple> records;
  std::vector<RecordBlock> blocks;    ///< of records that come before these, see Pull::takes_blocks
  std::vector<Aggregate> aggregates;  ///< what reduces made of records, in the order of their keys
  std::vector<CollectivePart> collective_parts;  ///< what records of collective operations were made into...
  std::vector<CollectiveSum> collective_sums;    ///< ...and this
  /// In which the records go on to whoever asked; here they are always in this machine's own.
  ByteOrder sent_in{own_byte_order};
  std::uint64_t gone_ahead{0};  ///< records that come before all of these, and that Pull::ahead took
};

/// What is known of a view's data: where it comes from, and what is not in it.
struct ViewAccount {
  Loss loss;
  std::vector<Missing> missing;
  std::vector<ProcessReport> processes;
  std::vector<LevelTime> levels;
  std::uint64_t sources_read{0};
  /// Of unread records: how far each trace element is read with this view, of those that it moved on or that
  /// have another run since the last.
  std::vector<ReadPosition> positions;
};

/// What one pull through a scope yields. A record whose status is under_way is an operation in flight.
///
/// A new field belongs to one of the two parts, and to its table in view.cpp: else that does not compile.
struct View : ViewData, ViewAccount {
  /// All of the view but its data; can be copied and assigned alone.
  [[nodiscard]] ViewAccount& account() noexcept { return *this; }
  [[nodiscard]] const ViewAccount& account() const noexcept { return *this; }

  [[nodiscard]] std::size_t records_here() const noexcept;
  /// Those that went ahead too.
  [[nodiscard]] std::size_t record_count() const noexcept { return records_here() + gone_ahead; }
  /// Copies what lies in `blocks` to where it belongs in `records`.
  void collect_records();

  void clear();
  /// Appends `other`, adding up its counts; aggregates of one key become one; what both report of one process
  /// becomes one report, and what both miss is missed once.
  void append(View&& other);
};

/// Who takes records of a large view while the rest of it is still being read, so that they are on their way
/// meanwhile. Not thread-safe.
class RecordsAhead {
 public:
  /// To be told by whoever adds records to the end of `view`, and neither changes nor moves those there are.
  /// Takes all, or as many as it likes, or none; those taken count as View::gone_ahead.
  virtual void offer(View& view) = 0;
  /// So many are worth taking: offered more often, they are looked at in vain.
  static constexpr std::size_t worth_taking = 4096;

 protected:
  RecordsAhead() = default;
  ~RecordsAhead() = default;
  RecordsAhead(const RecordsAhead&) = default;
  RecordsAhead& operator=(const RecordsAhead&) = default;
};

/// What a pull wants to see: each stage asks its children for the same.
struct PullWishes {
  bool with_threads{false};  ///< fill ProcessReport::threads
  /// How far back from now a first look at unread records goes: to those that ended since. max(): to all
  /// kept.
  std::chrono::nanoseconds look_back{std::chrono::nanoseconds::max()};
};

/// Request and result of one Verb::pull.
///
/// Reads of unread records are transactions between neighbours in the tree: a stage that keeps read
/// positions moves them on for good only when the pull after it says, with `after`, that the view arrived.
struct Pull : OperationBody, PullWishes {
  /// For a child's pull: numbered by `numbers`, with the wishes of the parent's.
  static Pull of_child(const OperationBody& numbers, const PullWishes& wishes) {
    Pull pull;
    static_cast<OperationBody&>(pull) = numbers;
    static_cast<PullWishes&>(pull) = wishes;
    return pull;
  }

  /// Records may be in View::blocks: the caller only hands them on and has no use for a copy.
  bool takes_blocks{false};
  /// Sink for early records; null disables. Set for one stage at a time, whose finish may use it: then no
  /// stage between it and the sink needs to see the records.
  RecordsAhead* ahead{nullptr};
  View view;  ///< out
};

/// The body of an operation whose verb is Verb::pull. A server checks that a target takes no other verb
/// before any of its stages sees an operation (paths/bodies/target_kind.h).
[[nodiscard]] inline Pull& pull_of(Operation& operation) noexcept {
  return static_cast<Pull&>(*operation.body);
}
[[nodiscard]] inline const Pull& pull_of(const Operation& operation) noexcept {
  return static_cast<const Pull&>(*operation.body);
}

}  // namespace eventspace
