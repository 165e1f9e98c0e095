#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <eventspace/events.h>
#include "collectors/kinds/event_kinds.h"
#include "scopes/columns/record_clocks.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The records of an Events, and the columns made from them so far. Thread-safe: a column is made once, under
/// the mutex, and published in `ready`.
struct Events::State {
  /// The columns of times, before the fields of the vocabulary.
  enum TimeColumn : std::size_t { start_ns, end_ns, start_here_ns, error_ns };
  static constexpr std::array<std::string_view, 4> time_columns{"start_ns", "end_ns", "start_here_ns",
                                                                "error_ns"};

  /// `names` and `clocks` must not be null.
  State(View&& view, std::shared_ptr<const PlanNames> names, std::shared_ptr<const RecordClocks> clocks);

  [[nodiscard]] std::size_t size() const noexcept { return own.empty() ? records.size() : own.size(); }
  [[nodiscard]] const EventColumn& column(std::size_t number) const;
  /// The column of a field of the vocabulary.
  [[nodiscard]] static std::size_t number_of(FieldId field) noexcept { return time_columns.size() + field; }
  /// Throws ConfigurationError for an unknown name.
  [[nodiscard]] static std::size_t number_of(std::string_view name);

  /// The process that recorded each event; null if it is not known. Found once, since a search takes longer
  /// than making a column.
  [[nodiscard]] std::span<const ProcessReport* const> processes() const;
  /// Calls `use` with the place of each event and the event.
  template <class Use>
  void for_each(Use use) const;

  std::vector<TraceTuple> records;
  std::vector<std::size_t> own;  // places of the events' own records; empty if each record is an event
  std::shared_ptr<const PlanNames> names;
  std::shared_ptr<const RecordClocks> clocks;
  Loss loss;
  std::vector<Missing> missing;
  bool has_more{false};

 private:
  mutable std::once_flag has_processes_;
  mutable std::vector<const ProcessReport*> processes_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<const EventColumn>> made_;
  mutable std::vector<std::atomic<const EventColumn*>> ready_;
};

template <class Use>
void Events::State::for_each(Use use) const {
  const std::span<const ProcessReport* const> processes = this->processes();
  std::size_t begin = 0;
  for (std::size_t place = 0; place < size(); ++place) {
    const std::size_t end = own.empty() ? place : own[place];
    use(place, ObservedEvent{records[end], processes[place], std::span(records).subspan(begin, end - begin)});
    begin = end + 1;
  }
}

/// Makes the Events of a view. `has_more`: see Events::has_more.
Events events_of(View&& view, std::shared_ptr<const PlanNames> names,
                 std::shared_ptr<const RecordClocks> clocks, bool has_more = false);

}  // namespace eventspace
