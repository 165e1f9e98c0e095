#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "monitors/export/reading/clock_maps.h"
#include "monitors/export/reading/event_order.h"
#include "monitors/export/reading/model.h"
#include "monitors/export/reading/timed_item.h"
#include "monitors/watching/watched.h"

namespace eventspace::exports {

/// Reads a recording to its end and passes everything to a sink, with events in order of begin. The file is
/// untrusted: damaged parts are left out and counted.
///
/// The states of the recording, one per second, are read first, for the clocks and for the events in flight
/// at the end. Then the events are read, a chunk at a time. Memory grows with threads and names, not with
/// events (event_order.h). Used by one thread.
class RecordedEvents {
 public:
  struct Settings {
    std::filesystem::path directory{};  ///< for a temporary file of sorting
    EventOrder::Limits limits{};
    /// Called now and then with the share of the work that is done, 0 to 1. Returns whether to continue.
    std::function<bool(double)> progress{[](double) { return true; }};
  };
  /// `watched` comes from open_recorded(), and must outlive it.
  RecordedEvents(const Watched& watched, Settings settings);

  /// Passes everything to the sink, and ends it. Returns nullopt if `progress` returned false; then the sink
  /// is not ended. Throws the errors of the sink and of EventOrder. Call once.
  std::optional<Totals> run(Sink& sink);

 private:
  using Run = std::tuple<std::uint32_t, std::int32_t, std::uint64_t>;
  /// The reading state of a trace element.
  struct Source {
    std::uint64_t sequence{0};
    std::int64_t end_ns{0};
    std::vector<TraceTuple> parts;  // continuation records whose event has not been read yet
  };
  static constexpr std::uint32_t max_runs = 1U << 18;
  static constexpr std::size_t max_sources = std::size_t{1} << 20;

  bool read_states();
  bool read_chunks(const EventOrder::Use& use);
  std::optional<View> view_of(std::size_t place);
  void learn(const View& view);
  void note_thinned(const View& view);
  std::uint32_t place_of(const ProcessReport& report);
  void add_event_record(const TraceTuple& record);
  void add_event(std::span<const TraceTuple> records, std::uint32_t process, std::uint32_t report,
                 bool in_flight);
  void add_gap(Source& source, const TraceTuple& record, std::uint32_t process, std::uint32_t report);
  void add_losses(const View& view, std::int64_t time);
  std::unordered_map<std::uint64_t, std::uint64_t> ended_behind_states();
  void add_in_flight();
  void add_counter(std::uint16_t counter, std::uint64_t value, std::int64_t time);
  void add_processor_times(const View& view, std::int64_t time);
  [[nodiscard]] std::vector<std::int64_t> passable() const;
  [[nodiscard]] BoundedTime time(std::uint32_t report, std::uint64_t ticks) const;
  bool go_on(double share);

  const Watched* watched_;
  const RecordingReader* recording_;
  const PlanNames* names_;
  Settings settings_;
  ClockMaps clocks_;
  EventOrder order_;
  std::deque<ProcessReport> reports_;  // one per run of a process
  std::map<Run, std::uint32_t> place_of_run_;
  std::unordered_map<std::uint32_t, std::uint32_t> newest_run_;  // by process: its place in reports_
  std::unordered_map<std::uint64_t, Source> sources_;            // by path and point
  View last_state_;
  Loss loss_;
  std::uint64_t unreachable_{0};
  std::int64_t end_ns_{0};
  std::set<std::uint32_t> thinned_;  // processes that did not record all of their events
  Totals totals_;
  bool stopped_{false};
  double share_of_rest_{0};  // of the work after all events have been read
  std::vector<std::uint64_t> words_;
};

}  // namespace eventspace::exports
