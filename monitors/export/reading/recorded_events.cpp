#include "monitors/export/reading/recorded_events.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <eventspace/error.h>
#include "monitors/export/reading/slice_maker.h"
#include "scopes/tree/view_events.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
// The recorder knew the clocks less exactly than they are known at the end: times of chunks may be off by
// this much.
constexpr std::int64_t slack_ns = 20'000'000;

std::uint64_t source_key(const RecordHeader& header) {
  return std::uint64_t{header.path} << 16 | header.point;
}

bool is_of_events(const RecordingReader::Chunk& chunk) { return chunk.kind == RecordingReader::Kind::events; }

}  // namespace

RecordedEvents::RecordedEvents(const Watched& watched, Settings settings)
    : watched_(&watched),
      recording_(&watched.recorded->replay().recording()),
      names_(&watched.recorded->names()),
      settings_(std::move(settings)),
      clocks_(recording_->session().realtime_ns),
      order_(settings_.directory, settings_.limits) {
  names_->learn(recording_->names());
  for (const RecordingReader::Chunk& chunk : recording_->chunks()) end_ns_ = std::max(end_ns_, chunk.read_ns);
}

bool RecordedEvents::go_on(double share) {
  if (!stopped_) stopped_ = !settings_.progress(share * (1 - share_of_rest_));
  return !stopped_;
}

std::optional<View> RecordedEvents::view_of(std::size_t place) {
  try {
    return recording_->view(place);
  } catch (const EnvironmentError&) {
    ++totals_.damaged_chunks;
    return std::nullopt;
  }
}

std::uint32_t RecordedEvents::place_of(const ProcessReport& report) {
  const Run run{report.process, report.pid, report.start_ticks};
  if (reports_.size() >= max_runs && !place_of_run_.contains(run)) return max_runs - 1;
  const auto [known, is_new] = place_of_run_.try_emplace(run, static_cast<std::uint32_t>(reports_.size()));
  if (is_new) reports_.push_back(report);
  return known->second;
}

void RecordedEvents::learn(const View& view) {
  for (const ProcessReport& report : view.processes) {
    clocks_.learn(report, names_->node_of_process(report.process));
    place_of(report);
  }
}

void RecordedEvents::note_thinned(const View& view) {
  for (const ProcessReport& report : view.processes)
    if (!report.collecting.is_complete() && thinned_.size() < max_runs) thinned_.insert(report.process);
}

// A recording that was killed within its first second lacks a state, so the chunks of events are used.
bool RecordedEvents::read_states() {
  const auto chunks = recording_->chunks();
  const bool has_state = std::ranges::any_of(chunks, [](const auto& chunk) { return !is_of_events(chunk); });
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!go_on(0)) return false;
    if (is_of_events(chunks[i]) == has_state) continue;
    const std::uint64_t damaged = totals_.damaged_chunks;
    auto view = view_of(i);
    totals_.damaged_chunks = damaged;  // it is read again, and counted then
    if (!view) continue;
    learn(*view);
    if (has_state) last_state_ = std::move(*view);
  }
  return true;
}

BoundedTime RecordedEvents::time(std::uint32_t report, std::uint64_t ticks) const {
  return clocks_.time(reports_[report], ticks);
}

void RecordedEvents::add_event(std::span<const TraceTuple> records, std::uint32_t process,
                               std::uint32_t report, bool in_flight) {
  const RecordHeader header = header_of(records.back());
  const BoundedTime begin = time(report, header.start);
  std::int64_t end = in_flight ? std::max(end_ns_, begin.ns) : time(report, header.end).ns;
  end = std::max(end, begin.ns);
  TimedItem item{.in_flight = in_flight, .report = report, .process = process, .thread = header.thread};
  item.time = begin.error_ns.value_or(no_bound);
  const auto head = item.head();
  words_.assign(head.begin(), head.end());
  for (const TraceTuple& record : records)
    words_.insert(words_.end(), record.words.begin(), record.words.end());
  order_.add({begin.ns, end}, words_);
}

void RecordedEvents::add_gap(Source& source, const TraceTuple& record, std::uint32_t process,
                             std::uint32_t report) {
  const RecordHeader header = header_of(record);
  // A restarted process counts from 1.
  const std::uint64_t before = header.sequence > source.sequence ? source.sequence : 0;
  if (header.sequence - before <= 1) return;
  const std::int64_t until = time(report, header.start).ns;
  TimedItem item{
      .what = TimedItem::What::lost, .report = report, .process = process, .thread = header.thread};
  item.number = header.sequence - before - 1;
  item.time = before == 0 ? until : std::min(source.end_ns, until);
  order_.add({until, no_end}, item.head());  // before all events that begin then
}

void RecordedEvents::add_event_record(const TraceTuple& record) {
  const RecordHeader header = header_of(record);
  const auto trace = names_->source_of(header.path, header.point);
  const auto run = trace ? newest_run_.find(trace->process) : newest_run_.end();
  if (run == newest_run_.end() ||
      (sources_.size() >= max_sources && !sources_.contains(source_key(header)))) {
    ++totals_.refused;
    return;
  }
  Source& source = sources_[source_key(header)];
  if (header.sequence == source.sequence) return;  // read twice
  add_gap(source, record, trace->process, run->second);
  source.sequence = header.sequence;
  source.end_ns = time(run->second, header.in_flight() ? header.start : header.end).ns;
  if (!source.parts.empty() && !continues(source.parts.back(), record)) source.parts.clear();
  source.parts.push_back(record);
  if (header.is_continuation()) return;
  add_event(source.parts, trace->process, run->second, false);
  source.parts.clear();
}

// The last event after the last state, by trace element.
std::unordered_map<std::uint64_t, std::uint64_t> RecordedEvents::ended_behind_states() {
  std::unordered_map<std::uint64_t, std::uint64_t> ended;
  const auto chunks = recording_->chunks();
  std::int64_t state_ns = std::numeric_limits<std::int64_t>::min();
  for (const auto& chunk : chunks)
    state_ns = is_of_events(chunk) ? state_ns : std::max(state_ns, chunk.read_ns);
  const std::uint64_t damaged = totals_.damaged_chunks;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!is_of_events(chunks[i]) || chunks[i].read_ns < state_ns) continue;
    const auto view = view_of(i);
    if (!view) continue;
    for (const TraceTuple& record : view->records)
      ended[source_key(header_of(record))] = header_of(record).sequence;
  }
  totals_.damaged_chunks = damaged;  // they are read again, and counted then
  return ended;
}

// Adds the events that had not ended at the last state, and did not end after it.
void RecordedEvents::add_in_flight() {
  if (last_state_.records.empty()) return;
  const auto ended = ended_behind_states();
  for (const ProcessReport& report : last_state_.processes) newest_run_[report.process] = place_of(report);
  for_each_event(last_state_.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    const auto trace = names_->source_of(header.path, header.point);
    const auto run = trace ? newest_run_.find(trace->process) : newest_run_.end();
    if (!header.in_flight() || run == newest_run_.end()) return;
    const auto known = ended.find(source_key(header));
    if (known == ended.end() || known->second < header.sequence)
      add_event(event, trace->process, run->second, true);
  });
  newest_run_.clear();
}

void RecordedEvents::add_counter(std::uint16_t counter, std::uint64_t value, std::int64_t time) {
  TimedItem item{.what = TimedItem::What::counter, .of_thread = false, .counter = counter};
  item.number = value;
  order_.add({time, time}, item.head());
}

void RecordedEvents::add_losses(const View& view, std::int64_t time) {
  const Loss before = loss_;
  loss_ += view.loss;
  const std::array<std::pair<std::uint64_t, std::uint64_t>, 5> causes{{{before.discarded, loss_.discarded},
                                                                       {before.earlier, loss_.earlier},
                                                                       {before.torn, loss_.torn},
                                                                       {before.emptied, loss_.emptied},
                                                                       {before.failed, loss_.failed}}};
  std::uint16_t counter = 0;
  for (const auto& [earlier, now] : causes) {
    if (earlier != now) add_counter(counter, now, time);
    ++counter;
  }
  std::uint64_t unreachable = 0;
  for (const Missing& missing : view.missing) unreachable += std::max(missing.sources, 1U);
  if (unreachable != unreachable_) add_counter(unreachable_counter, unreachable, time);
  unreachable_ = unreachable;
}

void RecordedEvents::add_processor_times(const View& view, std::int64_t time) {
  for (const ProcessReport& report : view.processes) {
    for (const ThreadReport& thread : report.threads) {
      if (!thread.is_known()) continue;
      TimedItem item{.what = TimedItem::What::counter,
                     .counter = cpu_counter,
                     .report = place_of(report),
                     .process = report.process,
                     .thread = thread.thread};
      item.number = thread.cpu_ns;
      order_.add({time, time}, item.head());
    }
  }
}

// By chunk: a time before which no later event begins.
std::vector<std::int64_t> RecordedEvents::passable() const {
  const auto chunks = recording_->chunks();
  std::vector<std::int64_t> times(chunks.size(), no_end);
  std::int64_t first = no_end;
  for (std::size_t i = chunks.size(); i-- > 0;) {
    times[i] = first == no_end ? no_end : saturating::subtract(first, slack_ns);
    first = std::min(
        {first, is_of_events(chunks[i]) ? chunks[i].first_ns : chunks[i].read_ns, chunks[i].read_ns});
  }
  return times;
}

bool RecordedEvents::read_chunks(const EventOrder::Use& use) {
  const auto chunks = recording_->chunks();
  const std::vector<std::int64_t> times = passable();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!go_on(static_cast<double>(i) / static_cast<double>(chunks.size()))) return false;
    const auto view = view_of(i);
    if (!view) continue;
    note_thinned(*view);
    if (is_of_events(chunks[i])) {
      for (const ProcessReport& report : view->processes) newest_run_[report.process] = place_of(report);
      for (const TraceTuple& record : view->records) add_event_record(record);
      add_losses(*view, chunks[i].read_ns);
    } else {
      add_processor_times(*view, chunks[i].read_ns);
    }
    if (times[i] != no_end) order_.pass_on(times[i], use);
  }
  return true;
}

std::optional<Totals> RecordedEvents::run(Sink& sink) {
  SliceMaker slices(*watched_, reports_, sink);
  const Replay& replay = watched_->recorded->replay();
  const RecordedSession& session = recording_->session();
  sink.begin({recording_->file().string(), session, replay.begin_ns(), end_ns_, session.realtime_ns, names_});
  share_of_rest_ = sink.share_of_rest();
  std::uint64_t used = 0;
  const EventOrder::Use use = [&](const EventOrder::Key& key, EventOrder::Words words) {
    // A merge at the end also takes long.
    if (stopped_ || (++used % 65536 == 0 && !go_on(1))) return;
    slices.use(key, words);
  };
  if (!read_states()) return std::nullopt;
  add_in_flight();
  if (!read_chunks(use)) return std::nullopt;
  order_.finish(use);
  if (!go_on(1)) return std::nullopt;
  const double rest = std::exchange(share_of_rest_, 0);
  if (!sink.write_rest([&](double share) { return go_on(1 - rest + rest * share); })) return std::nullopt;
  Totals totals = slices.totals();
  totals.moved = order_.moved();
  totals.refused += totals_.refused;
  totals.damaged_chunks = totals_.damaged_chunks;
  totals.thinned_processes = thinned_.size();
  const auto take = [&totals](std::uint64_t records) {
    const std::uint64_t taken = std::min(records, totals.lost_records);
    totals.lost_records -= taken;
    return taken;
  };
  totals.removed_records = take(session.records_before);
  totals.damaged_records = take(recording_->damage().records);
  totals.loss = recording_->end() ? recording_->end()->loss : loss_;
  sink.end(totals);
  return totals;
}

}  // namespace eventspace::exports
