#include <eventspace/recording.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/sessions/recorded_file.h"
#include "scopes/columns/events_state.h"
#include "scopes/columns/record_clocks.h"
#include "scopes/tree/view_events.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

struct Recording::State {
  explicit State(const std::filesystem::path& file) : recorded(require_recorded_file(file)) {}

  [[nodiscard]] const RecordingReader& reader() const noexcept { return recorded.run->replay().recording(); }
  /// Converts a time of the recorder's clock to nanoseconds since 1970, and back.
  [[nodiscard]] std::int64_t realtime(std::int64_t ns) const noexcept {
    return saturating::add(ns, reader().session().realtime_ns);
  }
  [[nodiscard]] std::int64_t of_recorder(std::int64_t realtime_ns) const noexcept {
    return saturating::subtract(realtime_ns, reader().session().realtime_ns);
  }

  RecordedFile recorded;
};

struct Recording::Reader::State {
  State(std::shared_ptr<Recording::State> of_recording, const TimeRange& range)
      : recording(std::move(of_recording)),
        begin_ns(recording->of_recorder(range.begin_ns)),
        end_ns(recording->of_recorder(range.end_ns)),
        names(recording->recorded.run, &recording->recorded.run->names()),
        clocks(std::make_shared<RecordClocks>(*names, recording->reader().session().realtime_ns)) {}

  [[nodiscard]] bool has(std::int64_t ns) const noexcept { return begin_ns <= ns && ns < end_ns; }
  [[nodiscard]] bool may_have_events(std::size_t place) const;
  [[nodiscard]] View part_of(std::size_t place);

  std::shared_ptr<Recording::State> recording;
  std::int64_t begin_ns;  // on the recorder's clock
  std::int64_t end_ns;
  std::shared_ptr<const PlanNames> names;
  std::shared_ptr<RecordClocks> clocks;  // shared with the Events of earlier pieces: copied before a change
  std::size_t next{0};                   // chunk
};

bool Recording::Reader::State::may_have_events(std::size_t place) const {
  const Replay& replay = recording->recorded.run->replay();
  if (recording->reader().chunks()[place].kind != RecordingReader::Kind::events) return false;
  const Replay::Ends ends = replay.ends_of(place);
  return (ends.last >= begin_ns && ends.first < end_ns) || has(replay.lost_ns(place));
}

// The part of a chunk that is in the range.
View Recording::Reader::State::part_of(std::size_t place) {
  Replay& replay = recording->recorded.run->replay();
  View view = *replay.chunk(place);
  if (clocks.use_count() > 1) clocks = std::make_shared<RecordClocks>(*clocks);
  clocks->learn(view);
  (void)keep_events(view.records, [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    return has(replay.ended_ns(place, header, clocks->process_of(header)));
  });
  if (!has(replay.lost_ns(place))) {
    view.loss = {};
    view.missing.clear();
  }
  return view;
}

bool Recording::is_recording(const std::filesystem::path& file) { return eventspace::is_recording(file); }

Recording::Recording(const std::filesystem::path& file) : state_(std::make_shared<State>(file)) {}

const std::filesystem::path& Recording::file() const noexcept { return state_->reader().file(); }
const std::string& Recording::session() const noexcept { return state_->reader().session().session; }
const std::string& Recording::pathmap() const noexcept { return state_->reader().session().pathmap; }
std::int64_t Recording::begin_ns() const noexcept {
  return state_->realtime(state_->recorded.run->replay().begin_ns());
}
std::int64_t Recording::end_ns() const noexcept {
  return state_->realtime(state_->recorded.run->replay().end_ns());
}
bool Recording::is_being_written() const noexcept { return state_->reader().is_being_written(); }

std::optional<std::string> Recording::ending() const {
  const auto& end = state_->reader().end();
  return end ? std::optional(end->reason) : std::nullopt;
}

std::optional<Loss> Recording::loss() const {
  const auto& end = state_->reader().end();
  return end ? std::optional(end->loss) : std::nullopt;
}

Recording::Damage Recording::damage() const {
  const RecordingDamage& damage = state_->reader().damage();
  return {state_->reader().damage_in_words(), damage.records, damage.has_unknown_losses || damage.ends_early};
}

std::vector<Recording::Process> Recording::processes() const {
  Replay& replay = state_->recorded.run->replay();
  replay.set_now_ns(replay.end_ns());
  std::vector<Process> processes;
  for (const ProcessReport& report : replay.newest()->processes) {
    processes.push_back({std::string(replay.names().process_name(report.process)),
                         std::string(replay.names().node_of_process(report.process)), report.pid,
                         std::string(to_string(report.state))});
  }
  std::ranges::sort(processes, {}, &Process::name);
  return processes;
}

Recording::Reader Recording::events(const TimeRange& range) const {
  return Reader(std::make_unique<Reader::State>(state_, range));
}

Recording::Reader::Reader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Recording::Reader::~Reader() = default;
Recording::Reader::Reader(Reader&& other) noexcept = default;
Recording::Reader& Recording::Reader::operator=(Reader&& other) noexcept = default;

std::optional<Events> Recording::Reader::next() {
  const std::size_t chunks = state_->recording->reader().chunks().size();
  while (state_->next < chunks) {
    const std::size_t place = state_->next++;
    if (!state_->may_have_events(place)) continue;
    View view = state_->part_of(place);
    if (view.records.empty() && view.missing.empty() && view.loss == Loss{}) continue;
    return events_of(std::move(view), state_->names, state_->clocks);
  }
  return std::nullopt;
}

}  // namespace eventspace
