#include "scopes/reading/read_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>
#include <utility>

#include "collectors/clock.h"
#include "collectors/event_record.h"
#include "scopes/reading/fair_shares.h"
#include "scopes/reading/look_back.h"
#include "tuplespace/system/process_stat.h"

namespace eventspace {
namespace {

constexpr std::size_t at_a_time = RecordsAhead::worth_taking;

bool runs(const SegmentView& segment, LocalSegments& segments) {
  const RunState state = segments.state_of(segment);
  return state == RunState::running || state == RunState::stopped;
}

std::uint64_t ticks_now(const ClockCalibration& clock, const NodeClock& node) {
  return clock.source == ClockSource::monotonic ? node.now_ns() : Clock::now(clock);
}

// The process's clock and its node's as one: the tightest of a few tries.
void read_clocks(ProcessReport& report, const NodeClock& node) {
  if (report.clock.source == ClockSource::monotonic) {
    report.now_ticks = ticks_now(report.clock, node);
    report.now_monotonic_ns = static_cast<std::int64_t>(report.now_ticks);
    return;
  }
  constexpr double good_ns = 200;
  double best_ns = 0;
  for (int i = 0; i < 4 && (i == 0 || best_ns > good_ns); ++i) {
    const std::uint64_t before = Clock::now(report.clock);
    const auto monotonic_ns = static_cast<std::int64_t>(node.now_ns());
    const std::uint64_t after = Clock::now(report.clock);
    const double took_ns = report.clock.ns_between(before, after);
    if (i > 0 && took_ns >= best_ns) continue;
    best_ns = took_ns;
    report.now_ticks = before + (after - before) / 2;
    report.now_monotonic_ns = monotonic_ns;
    report.now_error_ns = static_cast<std::int64_t>(took_ns / 2) + 1;
  }
}

// What a process found out of its clock as it started may be long ago.
void learn_rate(ProcessReport& report, ClockRate& rate) {
  report.rate_error_ppm = std::min(report.clock.error_ppm, ProcessReport::most_ppm);
  if (report.clock.source != ClockSource::tsc) return;
  rate.learn({report.now_ticks, report.now_monotonic_ns, report.now_error_ns}, report.clock.ns_per_tick);
  const auto known = rate.rate();
  if (!known) return;
  constexpr double most_ppm = 1e5;  // further off is not this process's counter, whatever it says
  const double rate_ppm = (known->ns_per_tick / report.clock.ns_per_tick - 1) * 1e6;
  if (std::abs(rate_ppm) > most_ppm) return;
  report.rate_ppm = rate_ppm;
  report.rate_error_ppm = std::min(known->error_ppm, ProcessReport::most_ppm);
}

}  // namespace

ReadStage::ReadStage(const std::vector<SourceRef>& sources, ReadMode mode, LocalSegments& segments,
                     const PlanNames& names, const std::vector<ReadPosition>& resume)
    : mode_(mode), segments_(&segments), names_(&names) {
  for (const SourceRef& source : sources) {
    auto process = std::find_if(processes_.begin(), processes_.end(),
                                [&](const Process& p) { return p.number == source.process; });
    if (process == processes_.end()) {
      process = processes_.insert(process, Process{});
      process->number = source.process;
    }
    Source added;
    added.trace = source.trace;
    process->sources.push_back(added);
  }
  for (const ReadPosition& position : resume) {
    const auto process = std::find_if(processes_.begin(), processes_.end(),
                                      [&](const Process& p) { return p.number == position.process; });
    if (process != processes_.end()) process->resume.push_back(position);
  }
}

void ReadStage::begin(Operation& operation) {
  operation.status = Status::under_way;
  if (mode_.next) settle(pull_of(operation));
  for (Process& process : processes_) find(process);
}

void ReadStage::finish(Operation& operation) {
  Pull& pull = pull_of(operation);
  pull.view.clear();
  std::vector<Process*> readable;
  std::size_t newest = 0;  // one of each source, and one in flight of each thread
  for (Process& process : processes_) {
    if (!is_readable(process)) continue;
    readable.push_back(&process);
    newest += process.sources.size() + process.threads.size();
    if (mode_.next) begin_sources(process, pull);
  }
  if (mode_.next) {
    share_out(readable);
  } else {
    pull.view.records.reserve(pull.ahead == nullptr ? newest : std::min(newest, 2 * at_a_time));
  }
  auto next_readable = readable.begin();
  for (Process& process : processes_) {
    const bool is_readable = next_readable != readable.end() && *next_readable == &process;
    if (is_readable) ++next_readable;
    read(process, is_readable, pull);
  }
  operation.status = Status::ok;
}

// What the view of the last pull held is read for good only once that view is known to have arrived.
void ReadStage::settle(const Pull& pull) {
  const bool arrived = pull.after == sent_pull_;
  for (Process& process : processes_) {
    for (Source& source : process.sources) {
      if (arrived) {
        source.committed = source.sent;
      } else {
        source.sent = source.committed;
      }
    }
    const std::uint64_t named = std::exchange(process.named, 0);
    if (!arrived) continue;
    process.given_up -= named;
    process.told = process.telling;
  }
  sent_pull_ = pull.id;
}

void ReadStage::find(Process& process) {
  auto found = segments_->find(std::string(names_->process_name(process.number)));
  if (!mode_.next) {
    take_up(process, std::move(found.newest), false);
  } else if (process.reading == nullptr) {
    begin_reading(process, std::move(found.newest));
  }
  follow(process);
  process.refusal = std::move(found.refusal);
}

void ReadStage::begin_reading(Process& process, std::shared_ptr<const Generation> newest) {
  const auto latest = std::max_element(
      process.resume.begin(), process.resume.end(),
      [](const ReadPosition& a, const ReadPosition& b) { return a.created_ns < b.created_ns; });
  if (latest == process.resume.end()) return take_up(process, std::move(newest), false);
  auto since = segments_->find_since(std::string(names_->process_name(process.number)), latest->created_ns);
  process.given_up += since.given_up;
  const SegmentView* const first = since.first->segment.get();
  // One that runs is none that was read before: the machine's clock was set back.
  process.past = first != nullptr && first->created_realtime_ns() < latest->created_ns &&
                 !(since.first->readable() && runs(*first, *segments_));
  if (process.past) {
    process.reading = std::move(since.first);
  } else {
    take_up(process, std::move(since.first), false);
  }
}

bool ReadStage::is_readable(const Process& process) { return !process.past && process.reading->readable(); }

void ReadStage::read(Process& process, bool readable, Pull& pull) {
  name_unread(process, readable, process.refusal, pull.view);
  process.named = process.given_up;
  if (readable) read_segment(process, pull);
  if (mode_.next) {
    tell_positions(process, pull.view);
  } else {
    process.reading.reset();
  }
}

// Leaves the generations that have nothing more to say.
void ReadStage::follow(Process& process) {
  while (process.reading->newer != nullptr && is_read_out(process)) {
    const std::shared_ptr<const Generation> left = process.reading;
    const bool lost = left->number != 0 && !process.past && !left->readable();
    process.given_up += generations_between(*left, *left->newer) + (lost ? 1 : 0);
    // Of one that was left before any view told of it, who asks does not know: to him this one comes after
    // that which he knows, and may not have been read to its end.
    const bool is_known = process.followed || process.told == left->number;
    take_up(process, left->newer, true);
    process.followed = process.followed && is_known;
  }
}

// Of one that cannot be read there is nothing to wait for either.
bool ReadStage::is_read_out(const Process& process) const {
  if (!is_readable(process)) return true;
  if (runs_beside_newer(*process.reading)) return false;  // asked first: one that is gone adds nothing more
  std::vector<TraceTuple> unread;
  return std::all_of(process.sources.begin(), process.sources.end(), [&](const Source& source) {
    const std::uint64_t read = source.committed.sequence;
    return source.found == nullptr || source.found->reader.read_after(read, 1, unread).last <= read;
  });
}

// Two processes of one name at a time are no restart: the older goes on, and the newer has to wait. A process
// that made the newer segment as well (by exec, say) does not write the older one any more.
bool ReadStage::runs_beside_newer(const Generation& older) const {
  const SegmentView& segment = *older.segment;
  const SegmentView& newer = *older.newer->segment;
  if (segment.pid() == newer.pid() && segment.process_start_ticks() == newer.process_start_ticks())
    return false;
  return runs(segment, *segments_);
}

void ReadStage::take_up(Process& process, std::shared_ptr<const Generation> generation, bool followed) {
  process.reading = std::move(generation);
  process.past = false;
  if (process.reading->segment == nullptr || process.reading->number == process.bound) return;
  process.bound = process.reading->number;
  process.followed = followed;
  bind(process, *process.reading->segment);
  resume(process, *process.reading->segment);
}

// A run after the one that was read is unread from its beginning. What that means for the one before, whoever
// knows of it says: nobody here saw the one end and the other start.
void ReadStage::resume(Process& process, const SegmentView& segment) {
  if (process.resume.empty()) return;
  std::unordered_map<std::uint32_t, std::uint64_t> sequences;
  process.followed = true;
  for (const ReadPosition& position : std::exchange(process.resume, {})) {
    const bool same_run =
        position.pid == segment.pid() && position.created_ns == segment.created_realtime_ns();
    sequences.emplace(position.trace, same_run ? position.sequence : 0);
    process.followed = process.followed && same_run;
  }
  for (Source& source : process.sources) {
    const auto found = sequences.find(source.trace);
    if (source.found != nullptr && found != sequences.end())
      source.committed = source.sent = {found->second, true};
  }
}

void ReadStage::bind(Process& process, const SegmentView& segment) {
  std::unordered_map<std::uint32_t, const SegmentView::Trace*> by_number;
  for (const SegmentView::Trace& trace : segment.traces()) by_number.emplace(trace.spec.trace, &trace);
  process.threads.clear();
  process.newest.clear();
  for (Source& source : process.sources) {
    const auto found = by_number.find(source.trace);
    const SegmentView::Trace* const trace = found == by_number.end() ? nullptr : found->second;
    source = {source.trace, trace, {0, process.followed}, {0, process.followed}};
    if (source.found == nullptr) continue;
    process.newest.push_back(source.found->reader);
    const auto& threads = segment.threads();
    const auto thread = std::find(threads.begin(), threads.end(), source.found->spec.thread);
    if (thread == threads.end()) continue;
    process.threads.push_back(static_cast<std::size_t>(thread - threads.begin()));
  }
  std::sort(process.threads.begin(), process.threads.end());
  process.threads.erase(std::unique(process.threads.begin(), process.threads.end()), process.threads.end());
}

void ReadStage::name_unread(const Process& process, bool readable, const std::string& refusal,
                            View& view) const {
  const Generation& reading = *process.reading;
  const auto miss = [&](MissingCause cause, std::string detail) {
    this->miss(process, cause, std::move(detail), process.sources.size(), view);
  };
  if (process.given_up > 0) {
    miss(MissingCause::restarted,
         fmt::format("what was unread of {} earlier {} is given up: more than {} followed, or a segment was "
                     "truncated",
                     process.given_up, process.given_up == 1 ? "run" : "runs", generations_kept));
  }
  if (reading.segment == nullptr || process.past) {
    return miss(refusal.empty() ? MissingCause::no_segment : MissingCause::refused, refusal);
  }
  if (!readable) {
    return miss(MissingCause::refused, fmt::format("{} was truncated", reading.segment->path().string()));
  }
  if (!refusal.empty()) miss(MissingCause::refused, refusal);
  if (reading.newer != nullptr && runs_beside_newer(reading)) {
    miss(MissingCause::restarted, fmt::format("pid {} was started beside pid {}, which is read until it ends",
                                              reading.newer->segment->pid(), reading.segment->pid()));
  }
}

void ReadStage::miss(const Process& process, MissingCause cause, std::string detail, std::size_t sources,
                     View& view) const {
  view.missing.push_back({std::string(names_->node_of_process(process.number)),
                          fmt::format("process {}", names_->process_name(process.number)), cause,
                          std::move(detail), static_cast<std::uint32_t>(sources)});
}

void ReadStage::read_segment(Process& process, Pull& pull) const {
  const std::size_t present = process.newest.size();
  const std::size_t absent = process.sources.size() - present;
  pull.view.sources_read += present;
  if (mode_.next) {
    read_next(process, pull);
  } else {
    read_newest(process, pull);
  }
  if (absent > 0) {
    miss(process, MissingCause::refused, "its segment has no such trace elements", absent, pull.view);
  }
  pull.view.processes.push_back(report(process, *process.reading->segment, pull.with_threads));
}

// Those that moved; all of a run of which none was told before, so that nobody takes them for another's. That
// there was no run yet is told too: any that is found later is unread.
void ReadStage::tell_positions(Process& process, View& view) {
  const SegmentView* const segment = process.reading->segment.get();
  // Of a run that was given up nothing more is read; and where another stage had come to, its scope knows.
  if (process.past || (segment == nullptr && (process.reading->number != 0 || !process.resume.empty())))
    return;
  process.telling = process.reading->number;
  const bool all = process.told != process.telling;
  for (const Source& source : process.sources) {
    if (!all && source.sent.sequence == source.committed.sequence) continue;
    if (segment == nullptr) {
      view.positions.push_back({source.trace, process.number, 0, 0, 0});
    } else if (source.found != nullptr) {
      view.positions.push_back({source.trace, process.number, segment->pid(), segment->created_realtime_ns(),
                                source.sent.sequence});
    }
  }
}

void ReadStage::read_newest(const Process& process, Pull& pull) {
  for (std::span<const TraceReader> left(process.newest); !left.empty();) {
    const auto some = left.first(std::min(left.size(), at_a_time));
    TraceReader::read_newest(some, pull.view.records,
                             [](TraceTuple& begun) { begun.words[5] = under_way_outcome; });
    if (pull.ahead != nullptr) pull.ahead->offer(pull.view);
    left = left.subspan(some.size());
  }
}

void ReadStage::read_next(Process& process, Pull& pull) {
  for (Source& source : process.sources) {
    if (source.found == nullptr) continue;
    read_next(source, pull.view);
    if (pull.ahead != nullptr) pull.ahead->offer(pull.view);
  }
}

void ReadStage::read_next(Source& source, View& view) {
  const TraceReader::Batch batch =
      source.found->reader.read_after(source.sent.sequence, source.share, view.records);
  (source.sent.looked ? view.loss.discarded : view.loss.earlier) += batch.discarded;
  view.loss.torn += batch.torn;
  source.sent = {batch.last, true};
}

// A generation that was followed is new to the scope: all of it is unread, however long the scope goes back.
void ReadStage::begin_sources(Process& process, Pull& pull) const {
  if (pull.look_back == std::chrono::nanoseconds::max()) return;
  const SegmentView& segment = *process.reading->segment;
  const std::uint64_t ticks =
      ticks_before(segment.clock(), ticks_now(segment.clock(), segments_->clock()), pull.look_back);
  for (Source& source : process.sources) {
    if (source.found != nullptr && !source.sent.looked) begin_source(source, ticks, pull.view);
  }
}

void ReadStage::begin_source(Source& source, std::uint64_t ticks, View& view) {
  const Beginning beginning = find_beginning(source.found->reader, ticks);
  source.sent = {beginning.after, beginning.after > 0};
  view.loss.earlier += beginning.gone;
  view.loss.filtered += beginning.after - beginning.gone;
}

void ReadStage::share_out(const std::vector<Process*>& readable) {
  std::vector<Source*> sources;
  std::vector<std::uint64_t> wanted;
  for (Process* const process : readable) {
    for (Source& source : process->sources) {
      if (source.found == nullptr) continue;
      const TraceReader& reader = source.found->reader;
      const std::uint64_t published = reader.published();
      const std::uint64_t unread = published - std::min(published, source.sent.sequence);
      source.share = mode_.batch;
      sources.push_back(&source);
      wanted.push_back(std::min<std::uint64_t>({unread, reader.threshold(), mode_.batch}));
    }
  }
  if (mode_.most == 0) return;
  const auto shares = fair_shares(wanted, mode_.most, sent_pull_ % std::max<std::size_t>(1, sources.size()));
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i]->share = shares[i];
}

ProcessReport ReadStage::report(const Process& process, const SegmentView& segment, bool with_threads) const {
  ProcessReport report;
  report.process = process.number;
  report.pid = segment.pid();
  report.start_ticks = segment.process_start_ticks();
  report.state = segments_->state_of(segment);
  report.clock = segment.clock();
  read_clocks(report, segments_->clock());
  learn_rate(report, segments_->clock_rate());
  report.followed = process.followed;
  if (!with_threads) return report;
  for (const std::size_t index : process.threads) {
    ThreadReport thread;
    thread.thread = segment.threads()[index];
    thread.tid = segment.tid(index);
    if (const auto stat = thread.tid == 0 ? std::nullopt : read_process_stat(segment.pid(), thread.tid)) {
      thread.state = stat->state;
      thread.cpu_ns = static_cast<std::uint64_t>(stat->cpu.count());
    }
    report.threads.push_back(thread);
  }
  return report;
}

}  // namespace eventspace
