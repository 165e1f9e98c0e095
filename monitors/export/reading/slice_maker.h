#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "monitors/export/reading/event_order.h"
#include "monitors/export/reading/lanes.h"
#include "monitors/export/reading/model.h"
#include "monitors/export/reading/mpi_ends.h"
#include "monitors/export/reading/timed_item.h"
#include "monitors/watching/watched.h"

namespace eventspace::exports {

/// Converts the events of a recording, in order of begin, to slices of a sink: finds the track and lane, the
/// name, the arguments, and the messages of each. Used by one thread. The arguments of the constructor must
/// outlive it.
class SliceMaker {
 public:
  static constexpr std::size_t max_tracks = std::size_t{1} << 18;

  SliceMaker(const Watched& watched, const std::deque<ProcessReport>& reports, Sink& sink);
  void use(const EventOrder::Key& key, EventOrder::Words words);
  /// The counts made here.
  [[nodiscard]] Totals totals() const;

 private:
  struct Thread {
    std::vector<TrackId> lanes{};
    Lanes placing{};
    Track track{};
  };
  void use_event(const EventOrder::Key& key, const TimedItem& item);
  Thread* thread_of(const TimedItem& item, std::int32_t pid);
  TrackId track_of(Thread& thread, std::uint32_t lane);
  std::string_view name_of(const ObservedEvent& event);
  std::string_view composed(std::uint32_t first, std::uint32_t second, std::string_view verb,
                            std::string_view of);
  void read_arguments(const ObservedEvent& event);
  FieldReader::Value described(const FieldReader::Value& value);
  void read_messages(const Track& track, const ObservedEvent& event, std::int64_t end_ns, bool in_flight);
  void read_tuple(const ObservedEvent& event);

  const Watched* watched_;
  const PlanNames* names_;
  const std::deque<ProcessReport>* reports_;
  Sink* sink_;
  MpiEnds mpi_;
  std::unordered_map<std::uint64_t, Thread> threads_;  // by process and thread
  TrackId last_track_{0};
  std::unordered_map<std::uint64_t, std::string> composed_;
  std::unordered_map<std::string, std::string> places_;  // descriptions, by the text in records
  std::vector<FieldReader> fields_;
  Totals totals_;
  // Buffers for the current event, reused for their memory.
  std::vector<TraceTuple> records_;
  std::vector<Argument> arguments_;
  std::vector<MessageEnd> ends_;
  std::vector<MpiMessage> messages_;
};

}  // namespace eventspace::exports
