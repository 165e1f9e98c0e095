#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuplespace/trace/segment.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The trace elements that threads of a process get while it runs, and their places when its segment or the
/// shared memory is full:
///
/// 1. A thread gets its own trace elements, which are added to the segment.
/// 2. A trace element of a thread that has ended is given to another thread that needs the same threshold,
///    when the segment is full, or when more than `kept_after_end` threads have ended. The records of the
///    ended thread are readable until they are overwritten, and count as discarded then. Only trace elements
///    of threads that were added here are given away, because readers find those of other threads by thread.
/// 3. A thread that cannot be added, because numbers have run out or its name does not fit, continues a
///    thread that has ended: it gets the trace element, and is shown with the number and name of that thread,
///    and with its own id.
/// 4. If none of this is possible, the thread gets one of a few spare trace elements that were reserved in
///    advance, until it ends. Several recorders of the thread can share it (Recorder::shares).
/// 5. If the spares have run out, the thread cannot record. Segment::count_unrecorded() informs the readers.
///
/// Thread-safe, except for construction. Registering may make system calls and wait briefly for memory;
/// recording does neither.
class GrowingTraces {
 public:
  struct Config {
    /// For each spare: its number as thread, as path and as trace element.
    std::vector<std::uint32_t> spares;
    std::uint32_t spare_threshold{200};
    std::uint16_t thread_names{0};    ///< SegmentName::of of the names of threads
    std::string spare_name{"spare"};  ///< spares and their threads are named "spare1", "spare2" ...
    std::size_t kept_after_end{64};
  };

  /// Adds the spares to `segment`, which must outlive the calls of writer_for. Spares that do not fit are
  /// counted as refused.
  GrowingTraces(Segment& segment, const Config& config);
  ~GrowingTraces();
  GrowingTraces(const GrowingTraces&) = delete;
  GrowingTraces& operator=(const GrowingTraces&) = delete;

  /// The calling thread.
  struct Thread {
    std::optional<std::uint32_t> number;  ///< nullopt if numbers have run out
    std::int32_t tid{0};
    /// Whether the segment already has it. If not, the thread is added with its first trace element.
    bool is_planned{false};
    std::string name;  ///< used when it is added
  };

  /// A recorder, which records in a trace element.
  struct Recorder {
    std::optional<std::uint32_t> number;  ///< of its path, and of its own trace element; nullopt as above
    std::string name;                     ///< of that trace element
    std::uint32_t threshold{200};
    /// Whether it may share a spare with other recorders of its thread: then it writes the two halves of a
    /// tuple together, with Place::shared.
    bool shares{false};
  };

  /// The place for the records of a thread's recorder. `thread` and `path` are the numbers for its records.
  struct Place {
    TraceWriter writer;            ///< unusable if `shared` is set
    TraceWriter* shared{nullptr};  ///< valid as long as a copy of `hold`
    std::uint32_t thread{0};
    std::uint32_t path{0};
    /// Index of the trace element in the segment. The trace element may have other numbers than these
    /// records: the numbers of the spare, or of an ended thread.
    std::size_t index{0};
    bool is_spare{false};
    /// Keeps the memory mapped. When its last copy is gone, another thread may get the trace element.
    std::shared_ptr<const void> hold;
  };

  /// Returns a place for a recorder of the calling thread; nullopt if there is none. Throws like
  /// Segment::add_traces and add_name.
  [[nodiscard]] std::optional<Place> writer_for(const Thread& thread, const Recorder& recorder);

 private:
  struct Pool;
  struct Ticket;
  /// A thread that is visible to readers. `index`: in the segment, for an added thread.
  struct Known {
    std::uint32_t number{0};
    std::size_t index{0};
  };
  std::optional<Known> identify(const Thread& thread);
  std::optional<Place> added(const Thread& thread, const Known& known, const Recorder& recorder);
  std::optional<Place> given_away(const Known& to, std::uint32_t threshold, std::size_t kept);
  std::optional<Place> continued(std::int32_t tid, std::uint32_t threshold);
  template <class TakeOver>
  std::optional<Place> reused(std::uint32_t threshold, std::size_t kept, TakeOver take_over);
  std::optional<Place> spare(const Thread& thread, std::optional<std::uint32_t> number,
                             const Recorder& recorder);

  Segment* segment_;
  Config config_;
  std::shared_ptr<Pool> pool_;  // shared with the holders
};

}  // namespace eventspace
