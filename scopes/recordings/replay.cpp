#include "scopes/recordings/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <eventspace/error.h>
#include "collectors/mpi/mpi_record.h"
#include "collectors/pvm/pvm_record.h"
#include "collectors/record_header.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

// An event that had not ended, as its trace element held it then. In the kinds whose records in flight have
// words 5 to 7, these are almost all known when the event begins (collectors/mpi/mpi_record.h).
TraceTuple as_in_flight(TraceTuple record) {
  constexpr std::uint64_t error = std::uint64_t{0xff} << 56;
  record.words[4] = 0;
  const std::uint8_t kind = header_of(record).kind;
  if (kind == mpi_kind || kind == pvm_kind) {
    record.words[5] &= ~error;
  } else {
    record.words[5] = record.words[6] = record.words[7] = 0;
  }
  return record;
}

/// The newest event of each trace element and the one in flight, at one moment.
class Moment {
 public:
  Moment(std::int64_t now, const PlanNames& names) : now_(now), names_(&names), processes_(names) {}

  /// Adds a state that was read before the moment.
  void begin(const View& state) {
    missing_ = state.missing;
    processes_.learn(state);
    learn(state, true);
    for (const TraceTuple& record : state.records)
      add(record, header_of(record).in_flight() ? Phase::in_flight : Phase::ended);
  }

  /// Adds events or a state that were read later. An event in flight in a state was in flight from its start
  /// on.
  void add(const View& view, bool is_before) {
    for (const Missing& part : view.missing)
      if (part.cause == MissingCause::refused && view.processes.empty()) missing_.push_back(part);
    processes_.learn(view);
    learn(view, is_before);
    for (const TraceTuple& record : view.records) add(record, phase_of(header_of(record), is_before));
  }

  View view() {
    View view;
    for (auto& [key, trace] : traces_) {
      for (const TraceTuple& record : trace.newest) view.records.push_back(record);
      for (const TraceTuple& record : trace.in_flight) view.records.push_back(record);
    }
    for (auto& [process, report] : reports_) view.processes.push_back(projected(report));
    view.missing = still_missing();
    view.sources_read = traces_.size();
    return view;
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>;
  /// The phase of an event at the moment.
  enum class Phase : std::uint8_t { not_begun, in_flight, ended };
  /// Events with their continuation records, which come before their own.
  struct Trace {
    std::vector<TraceTuple> newest;
    std::vector<TraceTuple> in_flight;
    std::vector<TraceTuple> parts;  // of the event whose record comes next
  };

  static Key key_of(const TraceTuple& record) {
    const RecordHeader header = header_of(record);
    return {header.thread, header.path, header.point};
  }

  // Records of one trace element come together.
  Trace& trace_of(const TraceTuple& record) {
    const Key key = key_of(record);
    if (last_ == nullptr || last_->first != key) last_ = &*traces_.try_emplace(key).first;
    return last_->second;
  }

  // A later report serves if there is no earlier one. A process calibrates its clock when it begins.
  void learn(const View& view, bool is_before) {
    for (const ProcessReport& report : view.processes) {
      if (!is_before && (reports_.contains(report.process) || report.here(report.clock.ticks).ns > now_))
        continue;
      ProcessReport& known = reports_[report.process];
      // Reports with events do not have the threads.
      auto threads = std::move(known.threads);
      known = report;
      if (known.threads.empty()) known.threads = std::move(threads);
      if (!is_before) known.state = RunState::running;  // it ended later, if at all
    }
  }

  // Events that were read before the moment had ended by then, whatever the clocks indicate.
  [[nodiscard]] Phase phase_of(const RecordHeader& header, bool is_before) {
    if (is_before && !header.in_flight()) return Phase::ended;
    const ProcessReport* const process = processes_.of(header);
    if (process == nullptr || process->here(header.start).ns > now_) return Phase::not_begun;
    return header.in_flight() || process->here(header.end).ns > now_ ? Phase::in_flight : Phase::ended;
  }

  // A process that has started since the last state is not missing.
  [[nodiscard]] std::vector<Missing> still_missing() const {
    std::vector<Missing> missing = missing_;
    std::erase_if(missing, [this](const Missing& part) {
      return part.cause == MissingCause::no_segment && std::ranges::any_of(reports_, [&](const auto& known) {
               return part.what == fmt::format("process {}", names_->process_name(known.first));
             });
    });
    return missing;
  }

  // A continuation record that was written when the event ended has its end, and exists only from then on.
  void add(const TraceTuple& record, Phase phase) {
    const RecordHeader header = header_of(record);
    Trace& trace = trace_of(record);
    if (header.is_continuation()) {
      if (!trace.parts.empty() && header_of(trace.parts.back()).start != header.start) trace.parts.clear();
      if (phase == Phase::ended) trace.parts.push_back(record);
      return;
    }
    std::vector<TraceTuple> event = std::exchange(trace.parts, {});
    if (!event.empty() && header_of(event.back()).start != header.start) event.clear();
    // Compares times, as another run of the process restarts the count of its events.
    const bool is_old = !trace.newest.empty() && header.start <= header_of(trace.newest.back()).start;
    if (is_old || phase == Phase::not_begun) return;
    event.push_back(phase == Phase::ended || header.in_flight() ? record : as_in_flight(record));
    if (phase == Phase::in_flight) {
      trace.in_flight = std::move(event);
      return;
    }
    trace.newest = std::move(event);
    if (!trace.in_flight.empty() && header_of(trace.in_flight.back()).start <= header.start)
      trace.in_flight.clear();
  }

  /// The report as the recorder would have made it at the moment.
  [[nodiscard]] ProcessReport projected(ProcessReport report) const {
    constexpr double most = 4e18;  // the file's data about clocks is not trusted
    const std::int64_t later = saturating::subtract(now_, report.here(report.now_ticks).ns);
    const double ticks = std::clamp(static_cast<double>(later) / report.clock.ns_per_tick, -most, most);
    report.now_monotonic_ns = saturating::add(report.now_monotonic_ns, later);
    report.now_ticks += static_cast<std::uint64_t>(static_cast<std::int64_t>(ticks));
    return report;
  }

  std::int64_t now_;
  const PlanNames* names_;
  RecordProcesses processes_;
  std::map<Key, Trace> traces_;
  std::pair<const Key, Trace>* last_{nullptr};
  std::map<std::uint32_t, ProcessReport> reports_;
  std::vector<Missing> missing_;
};

}  // namespace

Replay::Replay(RecordingReader recording, const PlanNames& names, std::vector<RecordedTrace> traces,
               std::size_t most)
    : recording_(std::move(recording)), names_(&names), traces_(std::move(traces)), most_(most) {
  names_->learn(recording_.names());
  begin_ns_ = recording_.session().begun_ns;
  end_ns_ = begin_ns_;
  for (const RecordingReader::Chunk& chunk : recording_.chunks()) end_ns_ = std::max(end_ns_, chunk.read_ns);
  now_ns_ = begin_ns_;
  find_ends();
}

// If a server was late, events of one chunk may have ended long before the previous chunk was read.
void Replay::find_ends() {
  const auto chunks = recording_.chunks();
  std::int64_t before = begin_ns_ - 1;
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    const RecordingReader::Chunk& chunk = chunks[place];
    const std::int64_t last = std::min(std::max(chunk.last_ns, chunk.first_ns), chunk.read_ns);
    ends_.push_back({std::min(chunk.first_ns, last), last});
    lost_ns_.push_back(std::min(before + 1, chunk.read_ns));
    if (chunk.kind != RecordingReader::Kind::events) continue;
    before = chunk.read_ns;
    begins_.push_back(
        {std::min(ends_.back().first, lost_ns_.back()), std::max(ends_.back().last, lost_ns_.back()), place});
  }
  std::ranges::stable_sort(begins_, {}, &Begin::at);
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  for (Begin& begin : begins_) begin.last = latest = std::max(latest, begin.last);
}

std::int64_t Replay::ended_ns(std::size_t chunk, const RecordHeader& record,
                              const ProcessReport* process) const {
  const Ends& ends = ends_[chunk];
  return process == nullptr ? ends.last : std::clamp(process->here(record.end).ns, ends.first, ends.last);
}

Replay::Unread Replay::unread(std::int64_t since, const std::function<bool(std::size_t)>& concerns) const {
  Unread found{{}, now_ns()};
  const auto is_over = [since](const Begin& begin) { return begin.last <= since; };
  std::size_t records = 0;
  for (auto next = std::ranges::partition_point(begins_, is_over);
       next != begins_.end() && next->at <= found.until; ++next) {
    const std::size_t place = next->place;
    if (std::max(ends_[place].last, lost_ns_[place]) <= since || !concerns(place)) continue;
    records += recording_.chunks()[place].records;
    if (records > most_ && next->at - 1 > since && !found.chunks.empty()) {
      found.until = next->at - 1;
      break;
    }
    found.chunks.push_back(place);
  }
  std::ranges::sort(found.chunks);
  return found;
}

std::int64_t Replay::now_ns() const {
  const std::lock_guard lock(mutex_);
  return now_ns_;
}

void Replay::set_now_ns(std::int64_t now) {
  const std::lock_guard lock(mutex_);
  now_ns_ = now;
}

Replay::SharedView Replay::load(std::size_t place) const {
  try {
    return std::make_shared<const View>(recording_.view(place));
  } catch (const EnvironmentError& error) {
    View view;
    view.missing.push_back({{}, "a chunk of the recording", MissingCause::refused, error.what(), 0});
    const RecordingReader::Chunk& chunk = recording_.chunks()[place];
    if (chunk.kind == RecordingReader::Kind::events) view.loss.torn = chunk.records + chunk.lost;
    return std::make_shared<const View>(std::move(view));
  }
}

Replay::SharedView Replay::chunk(std::size_t place) {
  const std::lock_guard lock(mutex_);
  return chunk_locked(place);
}

Replay::SharedView Replay::chunk_locked(std::size_t place) {
  // All stages of a scope read the same chunks at about the same time.
  constexpr std::size_t max_kept = 1u << 18;  // records
  const auto known = std::ranges::find(kept_, place, &Kept::place);
  if (known != kept_.end()) {
    std::rotate(known, known + 1, kept_.end());
    return kept_.back().view;
  }
  SharedView view = load(place);
  records_kept_ += view->records.size() + 1;
  while (!kept_.empty() && records_kept_ > max_kept) {
    records_kept_ -= kept_.front().view->records.size() + 1;
    kept_.erase(kept_.begin());
  }
  return kept_.emplace_back(Kept{place, std::move(view)}).view;
}

Replay::SharedView Replay::newest() {
  const std::lock_guard lock(mutex_);
  if (newest_of_ != now_ns_) {
    newest_ = std::make_shared<const View>(newest_at(now_ns_));
    newest_of_ = now_ns_;
  }
  return newest_;
}

// Call with the mutex held.
View Replay::newest_at(std::int64_t now) {
  using Chunk = RecordingReader::Chunk;
  const auto chunks = recording_.chunks();
  const auto is_state = [](const Chunk& chunk) {
    return chunk.kind == RecordingReader::Kind::state && !chunk.is_lost;
  };
  const auto after = std::ranges::upper_bound(chunks, now, {}, &Chunk::read_ns);
  const auto before = std::find_if(std::make_reverse_iterator(after), chunks.rend(), is_state);
  Moment moment(now, *names_);
  std::size_t place = 0;
  if (before != chunks.rend()) {
    place = static_cast<std::size_t>(before.base() - chunks.begin());
    moment.begin(*chunk_locked(place - 1));
  }
  // Up to the next state, which has all events that began before it and have not ended.
  for (; place < chunks.size(); ++place) {
    const bool is_before = chunks[place].read_ns <= now;
    // Events that all began later do not affect the moment.
    if (is_before || is_state(chunks[place]) || chunks[place].first_ns <= now)
      moment.add(*chunk_locked(place), is_before);
    if (is_state(chunks[place]) && !is_before) break;
  }
  return moment.view();
}

}  // namespace eventspace
