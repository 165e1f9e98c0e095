#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scopes/recordings/recording.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/observed_event.h"

/// Exports of recordings. RecordedEvents (recorded_events.h) converts a recording to the types below; each
/// format has a sink that writes them:
///
///     recording --> RecordedEvents --> Sink
///                   tracks, slices,    perfetto, chrome, otf2, ctf, sqlite, csv
///                   counters, losses
///
/// Times are nanoseconds of CLOCK_MONOTONIC of the recorder's machine, to which the clocks of all processes
/// are related. With `Recorded::realtime_ns` added, they are nanoseconds since 1970.
namespace eventspace::exports {

/// Numbers tracks, from 1 in the order in which they are first used.
using TrackId = std::uint32_t;

/// A track of slices: the events of one thread that one process recorded. An operation is recorded at both
/// ends of its path, possibly by two processes, which are two tracks.
///
/// Slices of one track are nested or disjoint. If events of a thread overlap, the later event is on another
/// lane, which is a separate track.
struct Track {
  TrackId id{0};
  std::uint32_t lane{0};     ///< from 0
  TrackId first{0};          ///< the track of lane 0
  std::uint32_t process{0};  ///< number in the recording
  std::int32_t pid{0};       ///< 0 means unknown
  /// Rank in MPI_COMM_WORLD, for a process of an MPI job.
  std::optional<std::uint32_t> rank{};
  // Names, which may have any text. Valid for the lifetime of RecordedEvents.
  std::string_view node{};
  std::string_view process_name{};
  std::string_view thread{};
};

/// A field of an event, named as in the vocabulary (collectors/kinds/event_kinds.h). Valid during the call.
struct Argument {
  const EventField* field{nullptr};
  FieldReader::Value value;
  [[nodiscard]] std::string_view name() const noexcept { return field->name; }
};

/// One end of a message: a tuple that one thread wrote and another read, or an MPI message. The two ends have
/// the same number, which is unique to the message; an end whose partner was not recorded is alone.
struct MessageEnd {
  std::uint64_t message{0};
  bool receives{false};
  /// False if events were lost before, so that the match of the two ends is only probable.
  bool certain{true};
  /// Of an MPI message: the number in its process of the request that sends or receives it; 0: none.
  std::uint32_t request{0};
};

/// An MPI message, as recorded by its sender or receiver. For formats with special records of messages.
struct MpiMessage {
  bool receives{false};
  std::uint32_t partner{0};  ///< rank in the communicator
  std::uint32_t communicator{0};
  std::uint32_t tag{0};
  std::uint64_t bytes{0};
};

/// An event from its begin to its end.
struct Slice {
  std::uint64_t id{0};  ///< from 1, in the order of slices
  TrackId track{0};
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};                  ///< at least begin_ns; for an event in flight, the end of
                                           ///< recording
  std::optional<std::int64_t> error_ns{};  ///< bound of the error of both; nullopt means unbounded
  bool in_flight{false};                   ///< had not ended when recording ended
  bool is_instant{false};                  ///< a point: begin and end are equal by definition
  std::uint8_t kind{0};                    ///< RecordHeader::kind
  std::string_view kind_name;
  std::string_view name;  ///< "take border/north", "MPI_Recv", the name of a probe
  std::span<const Argument> arguments;
  std::span<const MessageEnd> messages;
  std::span<const MpiMessage> mpi_messages;
  ObservedEvent event;
};

/// A value at a point in time.
struct Counter {
  std::string_view name;  ///< "cpu", or a cause of losses: "discarded"
  std::string_view unit;  ///< "ns", or "events"
  TrackId track{0};       ///< 0 for the whole recording
  std::int64_t time_ns{0};
  std::uint64_t value{0};
};

/// Events that a thread recorded but that are missing in the recording.
struct LostEvents {
  TrackId track{0};
  std::int64_t begin_ns{0};  ///< end of the last event before them; if there is none, end_ns
  std::int64_t end_ns{0};    ///< begin of the first event after them
  std::uint64_t records{0};  ///< an event has one record, and more if it has many values
};

/// Facts that are known before the first event.
struct Recorded {
  std::string file;
  RecordedSession session{};
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  std::int64_t realtime_ns{0};
  const PlanNames* names{nullptr};
};

/// Counts of exported and missing data.
struct Totals {
  /// Number of events, as counted by `record` and `info`.
  [[nodiscard]] std::uint64_t events() const noexcept { return slices - in_flight; }

  std::uint64_t slices{0};
  std::uint64_t in_flight{0};  ///< of these: the others are the events of the recording
  std::uint64_t tracks{0};     ///< a thread has several if two processes recorded it, or with lanes
  std::uint64_t threads{0};    ///< each counted once
  std::uint64_t message_ends{0};
  std::uint64_t uncertain_ends{0};   ///< of these
  std::uint64_t unnumbered_ends{0};  ///< ends of messages that were not numbered because of the limit
  std::uint64_t lost_records{0};     ///< by sequence numbers that are missing in trace elements, except these
                                     ///< two:
  std::uint64_t removed_records{0};  ///< in removed parts before the first one
  std::uint64_t damaged_records{0};  ///< in damaged parts of the file, as far as known
  std::uint64_t moved{0};            ///< events whose begin was moved to keep the order (event_order.h)
  std::uint64_t refused{0};          ///< events of threads beyond the limit
  std::uint64_t damaged_chunks{0};   ///< parts of the file whose events are missing
  /// Processes that did not record all of their events at some time (CollectState), as far as the views of
  /// the recording show. These events leave no gap in sequence numbers, so they are in no other count.
  std::uint64_t thinned_processes{0};
  Loss loss;  ///< by cause, as counted by the recorder
};

/// Writes one format. Slices come in order of begin; of slices that begin together, the longer first. A track
/// comes before its slices. Losses and counters come in the same order of time. Used by one thread. All
/// functions throw EnvironmentError if the output cannot be written.
class Sink {
 public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  virtual void begin(const Recorded& /*recorded*/) {}
  virtual void add(const Track& /*track*/) {}
  virtual void add(const Slice& slice) = 0;
  virtual void add(const Counter& /*counter*/) {}
  virtual void add(const LostEvents& /*lost*/) {}
  /// Called once before end(), when all data has come: does long final work, if any. Calls `goes_on` now and
  /// then with the share that is done, 0 to 1, and returns false as soon as that does.
  using GoesOn = std::function<bool(double)>;
  virtual bool write_rest(const GoesOn& /*goes_on*/) { return true; }
  /// The approximate share of the whole export's time that write_rest() takes.
  [[nodiscard]] virtual double share_of_rest() const noexcept { return 0; }
  /// Writes the end, and flushes.
  virtual void end(const Totals& totals) = 0;
};

}  // namespace eventspace::exports
