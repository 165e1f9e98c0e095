#include "monitors/archive/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <thread>
#include <utility>

#include <eventspace/error.h>
#include "collectors/clock.h"
#include "monitors/archive/recorder_clock.h"
#include "monitors/cli/options.h"
#include "monitors/servers/segment_list.h"
#include "monitors/text/text_format.h"
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/variants/scope_variants.h"
#include "scopes/tree/local_ids.h"
#include "scopes/tree/newest_of_each.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

// The records of one pull lie in memory several times: in transit, in the view, and until they are written.
constexpr std::uint64_t max_in_a_pull = 1u << 18;
// The last state reports the ends of at most this many processes; their events and names are recorded anyway.
constexpr std::size_t max_gone = 1000;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

RecordedSession describe(const Watched& watched, const Consumer& consumer, const std::string& program) {
  const ClockCalibration& clock = Clock::instance().calibration();
  RecordedSession session;
  session.session = consumer.session();
  if (watched.plan->has_pathmap) session.pathmap = whole_pathmap(watched.pathmap);
  session.node = own_node_name();
  session.program = program;
  session.begun_ns = now_ns();
  session.realtime_ns = static_cast<std::int64_t>(clock.realtime_ns - clock.monotonic_ns);
  session.clock = name_of_own_clock();
  return session;
}

bool has_ended(const ProcessReport& process) {
  return process.state == RunState::ended || process.state == RunState::dead;
}

// Whether processes that are missing in the view may still run. A process without a segment does not.
bool may_go_on(const Missing& missing) { return missing.cause != MissingCause::no_segment; }

std::string lost_in_words(const Loss& loss) {
  const std::uint64_t lost = loss.discarded + loss.torn + loss.failed;
  return lost == 0 ? "none lost" : fmt::format("{} lost", lost);
}

// Trace elements of dynamic processes have at least the default.
std::uint64_t min_threshold(const Plan& plan) {
  std::uint32_t least = TracePlan{}.threshold;
  for (const TraceIndex trace : plan.traces.indices()) least = std::min(least, plan.traces[trace].threshold);
  return std::max<std::uint32_t>(least, 1);
}

// The levels of the tree are all and node.
void keep_node(ScopeTree& tree, const Plan& plan, const std::string& node) {
  (void)require_node(plan, node);
  std::erase_if(tree.root.children, [&](const ScopeNode& child) { return child.node != node; });
  if (tree.root.children.empty())
    throw ConfigurationError(
        fmt::format("node {} has no trace elements, so there is nothing to record", node));
}

}  // namespace

ScopeTree Recorder::scope_of(const Watched& watched, const std::string& node, bool direct) {
  if (direct && !watched.plan->has_pathmap) {
    throw ConfigurationError(
        "--direct needs a pathmap, which shows that all nodes are on one host; omit --direct for a session "
        "without a pathmap");
  }
  ScopeTree tree = watched.plan->has_pathmap ? events_of_everything(watched.pathmap, *watched.plan, direct)
                                             : require_scope(*watched.plan, "events");
  if (!node.empty()) keep_node(tree, *watched.plan, node);
  tree.batch = max_in_a_pull;
  tree.most = max_in_a_pull;
  return tree;
}

Recorder::Recorder(const Watched& watched, Consumer& consumer, const ScopeTree& tree,
                   const Settings& settings)
    : settings_(settings),
      events_(consumer.open(tree)),
      newest_(consumer.open(newest_of_each(tree))),
      begun_ns_(now_ns()),
      pace_({.threshold = min_threshold(*watched.plan)}),
      drained_ns_(begun_ns_),
      writer_({.file = settings.file,
               .session = describe(watched, consumer, settings.program),
               .names = &consumer.names(),
               .level = settings.level,
               .replaces = settings.replaces,
               .rotation = settings.rotation}) {}

nanoseconds Recorder::elapsed() const { return nanoseconds(now_ns() - begun_ns_); }

EventScope::Options Recorder::options(bool with_threads) const {
  return {.deadline = pull_deadline(settings_.timeout), .with_threads = with_threads};
}

// Returns whether there may be more than one pull takes: a view also has a limited number of names per
// process, and names of a process that is gone are never seen again.
bool Recorder::pull_events() {
  View view = events_.pull(options(false));
  const bool is_full = view.records.size() >= max_in_a_pull / 2 || !view.names.empty();
  pace_.see(view.records.whole());
  if (is_full || view.loss.discarded > 0) pace_.hurry();
  keep_newest(view.records.whole());
  note_processes(view);
  writer_.add_events(std::move(view), now_ns());
  return is_full;
}

// A process that ends removes its segment, and is missing in later views. Its end must also be in the file:
// the next state has its last report, and so has the last state.
void Recorder::note_processes(const View& view) {
  saw_process_ = saw_process_ || !view.processes.empty();
  for (const ProcessReport& process : view.processes) {
    ProcessReport& last = seen_[process.process];
    const bool is_same_run = last.pid == process.pid && last.start_ticks == process.start_ticks;
    if (is_same_run && has_ended(last)) continue;
    std::vector<ThreadReport> threads = is_same_run ? std::move(last.threads) : std::vector<ThreadReport>();
    last = process;
    if (last.threads.empty()) last.threads = std::move(threads);  // only states have them
  }
  for (const ReadPosition& position : view.positions) {
    if (position.pid != ReadPosition::over) continue;
    auto last = seen_.extract(position.process);
    if (last.empty()) continue;
    if (!has_ended(last.mapped())) last.mapped().state = RunState::ended;
    gone_.push_back(gone(last.mapped()));
    newest_of_.erase(position.process);
  }
  if (gone_.size() <= max_gone) return;
  const std::size_t forgotten = gone_.size() - max_gone;
  gone_.erase(gone_.begin(), gone_.begin() + static_cast<std::ptrdiff_t>(forgotten));
  gone_in_state_ -= std::min(gone_in_state_, forgotten);
}

void Recorder::add_gone(std::size_t from, View& state) const {
  for (const Gone& process : std::span(gone_).subspan(from)) {
    if (std::ranges::find(state.processes, process.report.process, &ProcessReport::process) !=
        state.processes.end())
      continue;
    state.processes.push_back(process.report);
    for (const TraceTuple& record : process.newest) state.records.push_back(record);
  }
}

Recorder::Gone Recorder::gone(const ProcessReport& report) {
  Gone gone{report, {}};
  const auto known = newest_of_.find(report.process);
  if (known == newest_of_.end()) return gone;
  for (const auto& [source, event] : known->second)
    gone.newest.insert(gone.newest.end(), event.begin(), event.end());
  return gone;
}

// Records of one trace element come together, the newest last.
void Recorder::keep_newest(std::span<const TraceTuple> records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto is_of_same = [](const TraceTuple& a, const TraceTuple& b) {
      const RecordHeader one = header_of(a);
      const RecordHeader other = header_of(b);
      return one.path == other.path && one.point == other.point;
    };
    if (i + 1 < records.size() && is_of_same(records[i], records[i + 1])) continue;
    const RecordHeader header = header_of(records[i]);
    if (!is_local_id(header.path) || header.is_continuation()) continue;
    std::size_t first = i;
    while (first > 0 && is_of_same(records[first - 1], records[i]) &&
           continues(records[first - 1], records[first]))
      --first;
    newest_of_[process_of_local_id(header.path)][{header.path, header.point}] = {
        records.begin() + static_cast<std::ptrdiff_t>(first),
        records.begin() + static_cast<std::ptrdiff_t>(i + 1)};
  }
}

// New events may keep coming, so the state is also written when it is due.
void Recorder::drain() {
  constexpr int max_pulls = 16;
  for (int i = 0; i < max_pulls && pull_events(); ++i) {
  }
}

nanoseconds Recorder::pause() {
  const std::int64_t before = std::exchange(drained_ns_, now_ns());
  const nanoseconds by_rate = pace_.next(nanoseconds(drained_ns_ - before));
  return settings_.interval.value_or(by_rate);
}

void Recorder::pull_state() {
  View view = newest_.pull(options(true));
  note_processes(view);
  add_gone(std::exchange(gone_in_state_, gone_.size()), view);
  writer_.add_state(view, now_ns());
  has_ended_ = saw_process_ && std::ranges::all_of(view.processes, has_ended) &&
               std::ranges::none_of(view.missing, may_go_on);
}

// A segment that has been silent for so long was read several times since its process ended.
void Recorder::remove_read() {
  if (!settings_.leaves_segments.empty())
    (void)remove_ended(settings_.leaves_segments, std::chrono::seconds(10));
}

void Recorder::run(Timeline& timeline) {
  std::string reason;
  while (reason.empty()) {
    drain();
    if (now_ns() >= state_due_ns_ || writer_.wants_state()) {
      state_due_ns_ = now_ns() + settings_.state_every.count();
      pull_state();
      remove_read();
      if (settings_.until_end && has_ended_) reason = "the processes have ended";
    }
    show_progress(false);
    if (settings_.duration.count() > 0 && elapsed() >= settings_.duration) reason = "its time was over";
    if (reason.empty() && timeline.wait(pause()))
      reason = settings_.leaves_segments.empty() ? "stopped by a signal" : "the run has ended";
  }
  end(std::move(reason));
}

void Recorder::run_once() { end("a snapshot"); }

bool Recorder::has_read(std::int32_t pid) const {
  return std::ranges::any_of(seen_, [pid](const auto& known) { return known.second.pid == pid; }) ||
         std::ranges::any_of(gone_, [pid](const Gone& gone) { return gone.report.pid == pid; });
}

bool Recorder::has_read_ended() const {
  return std::ranges::all_of(list_segments(settings_.leaves_segments), [this](const SegmentEntry& segment) {
    const bool has_ended = segment.state == SegmentState::ended || segment.state == SegmentState::dead;
    return segment.kind != SegmentKind::segment || !has_ended || has_read(segment.pid);
  });
}

// The next scan of the directory finds a process that has just begun and ended. A process that no scan finds
// belongs to another plan or has another id here; the recorder waits for it at most for `longest`.
void Recorder::read_left() {
  constexpr nanoseconds longest = std::chrono::seconds(1);
  constexpr nanoseconds step = std::chrono::milliseconds(10);
  const std::int64_t until_ns = now_ns() + longest.count();
  for (drain(); !has_read_ended() && now_ns() < until_ns; drain()) std::this_thread::sleep_for(step);
}

// The last events, followed by the state.
void Recorder::end(std::string reason) {
  if (!settings_.leaves_segments.empty()) read_left();
  drain();
  for (const auto& [number, process] : seen_)  // whose segment may be gone since
    if (has_ended(process)) gone_.push_back(gone(process));
  gone_in_state_ = 0;
  pull_state();
  writer_.end({.reason = std::move(reason), .ended_ns = now_ns()});
  show_progress(true);
}

void Recorder::show_progress(bool is_last) {
  if (!settings_.shows_progress || (now_ns() < progress_due_ns_ && !is_last)) return;
  progress_due_ns_ = now_ns() + nanoseconds(std::chrono::milliseconds(500)).count();
  const RecordingWriter::Totals& sum = totals();
  std::fprintf(stderr, "\r%s%s",
               fmt::format("{}: {} events, {}, {}", short_duration(elapsed()), sum.events,
                           short_size(sum.bytes), lost_in_words(sum.loss))
                   .c_str(),
               is_last ? "\033[K\n" : "\033[K");
}

}  // namespace eventspace
