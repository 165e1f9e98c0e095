#include "scopes/reading/followed_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <eventspace/error.h>
#include "scopes/reading/process_clock.h"
#include "scopes/reading/process_reports.h"
#include "tuplespace/trace/control_file.h"

namespace eventspace {
namespace {

bool runs(const SegmentView& segment, LocalSegments& segments) {
  return may_live(segments.state_of(segment));
}

// Two running processes of one name are not a restart: the older one is read until it ends. If one process
// made both segments, for example by exec, it no longer writes to the older one.
bool runs_beside_newer(const Generation& run, LocalSegments& segments) {
  const SegmentView& older = *run.segment;
  const SegmentView& newer = *run.newer->segment;
  if (older.pid() == newer.pid() && older.process_start_ticks() == newer.process_start_ticks()) return false;
  return runs(older, segments);
}

}  // namespace

void FollowedProcess::settle(bool arrived) {
  settle_news(arrived);
  sources_.settle(arrived);
  reported_run_.settle(arrived);
}

void FollowedProcess::settle_news(bool arrived) {
  losses_.settle(arrived);
  names_.settle(arrived);
}

LocalSegments::Found FollowedProcess::find() const {
  if (const DynamicProcess* const dynamic = named_.dynamic()) return {dynamic->run, {}};
  return segments_->find(std::string(named_.name()));
}

void FollowedProcess::find_newest() {
  auto found = find();
  take_up(std::move(found.newest), false);
  refusal_ = std::move(found.refusal);
  look_for_more();
}

void FollowedProcess::find_unread() {
  auto found = find();
  if (reading_ == nullptr) begin(std::move(found.newest));
  follow();
  refusal_ = std::move(found.refusal);
  note_moment();
  look_for_more();
}

// Trace elements are found, and read, one after the other. Events that end in between are in this view for
// some of them and in the next for others, so this is the last moment up to which everything is complete.
void FollowedProcess::note_moment() {
  complete_ = ProcessReport::all_ticks;
  if (!is_intact()) return;
  complete_ = ticks_now(segment().clock(), segments_->clock(), clock_shift_of(segment()));
}

void FollowedProcess::read_unread(Pull& pull) {
  sources_.read_unread(pull);
  for (const TraceCursor& cursor : sources_.cursors())
    complete_ = std::min(complete_, cursor.complete_ticks());
}

// Finds the trace elements that the process has registered since the last pull.
void FollowedProcess::look_for_more() {
  if (!sources_.reads_probes() || !is_intact()) return;
  try {
    const bool was_read = followed_ || reported_run_.sent == reading_->number;
    (void)reading_->segment->refresh();  // another reader of this segment may have done so before
    sources_.follow_own(segment(), was_read);
  } catch (const EnvironmentError& error) {
    refusal_ = error.what();
  }
}

void FollowedProcess::begin(std::shared_ptr<const Generation> newest) {
  const auto latest = std::max_element(
      resume_.begin(), resume_.end(),
      [](const ReadPosition& a, const ReadPosition& b) { return a.created_ns < b.created_ns; });
  if (latest == resume_.end() || named_.dynamic() != nullptr) return take_up(std::move(newest), false);
  auto since = segments_->find_since(std::string(named_.name()), latest->created_ns);
  losses_.add_lost_runs(since.given_up);
  const SegmentView* const first = since.first->segment.get();
  // If the process of an earlier segment is running, its run is not earlier: the machine's clock was set
  // back.
  predates_ = first != nullptr && first->created_realtime_ns() < latest->created_ns &&
              !(since.first->readable() && runs(*first, *segments_));
  if (predates_) {
    reading_ = std::move(since.first);
  } else {
    take_up(std::move(since.first), false);
  }
}

// Leaves generations of which nothing more can be read.
void FollowedProcess::follow() {
  while (reading_->newer != nullptr &&
         (!is_intact() || is_read_out(runs_beside_newer(*reading_, *segments_)))) {
    const std::shared_ptr<const Generation> left = reading_;
    const bool lost = left->number != 0 && !predates_ && !left->readable();
    losses_.add_lost_runs(generations_between(*left, *left->newer) + (lost ? 1 : 0));
    // The consumer does not know a generation that no view reported. For the consumer the next generation
    // follows an older one, which may not have been read to its end.
    const bool is_known = followed_ || reported_run_.committed == left->number;
    take_up(left->newer, true);
    followed_ = followed_ && is_known;
  }
}

bool FollowedProcess::is_over() { return !is_intact() || is_read_out(runs(segment(), *segments_)); }

// `records`: whether the process still writes, to be determined before the rings are read. The number of
// names in one view is limited: if a process was left before its other names were reported, its events would
// have unknown names.
bool FollowedProcess::is_read_out(bool records) {
  if (records) return false;
  look_for_more();  // trace elements that it added before its end
  return sources_.is_read_out() && (!sources_.reads_probes() || names_.are_all_reported(named_, segment()));
}

void FollowedProcess::take_up(std::shared_ptr<const Generation> generation, bool followed) {
  reading_ = std::move(generation);
  predates_ = false;
  if (reading_->segment == nullptr || reading_->number == bound_) return;
  bound_ = reading_->number;
  losses_.begin_run();
  names_.begin_run();
  followed_ = followed;
  sources_.bind(segment(), followed);
  resume(segment());
}

// A run later than the one in `resume_` is read from its beginning. It does not count as followed, because
// this reader does not know whether the earlier run was read to its end.
void FollowedProcess::resume(const SegmentView& segment) {
  if (resume_.empty()) return;
  std::unordered_map<std::uint32_t, std::uint64_t> sequences;
  followed_ = true;
  for (const ReadPosition& position : std::exchange(resume_, {})) {
    const bool same_run =
        position.pid == segment.pid() && position.created_ns == segment.created_realtime_ns();
    sequences.emplace(position.trace, same_run ? position.sequence : 0);
    followed_ = followed_ && same_run;
  }
  for (TraceCursor& cursor : sources_.cursors()) {
    const auto found = sequences.find(cursor.trace());
    if (cursor.found() != nullptr && found != sequences.end()) cursor.resume_after(found->second);
  }
}

bool FollowedProcess::check() { return readable_ = is_intact(); }

void FollowedProcess::report_missing(View& view) {
  const auto miss = [&](MissingCause cause, std::string detail, std::size_t sources) {
    view.missing.push_back(named_.missing(cause, std::move(detail), sources));
  };
  const std::size_t all = sources_.size();
  losses_.report_lost_runs(named_, all, view);
  if (reading_->segment == nullptr || predates_)
    return miss(refusal_.empty() ? MissingCause::no_segment : MissingCause::refused, refusal_, all);
  if (!readable_)
    return miss(MissingCause::refused, fmt::format("{} was truncated", segment().path().string()), all);
  if (!refusal_.empty()) miss(MissingCause::refused, refusal_, all);
  if (reading_->newer != nullptr && runs_beside_newer(*reading_, *segments_)) {
    miss(MissingCause::restarted,
         fmt::format("pid {} was started beside pid {}, which is read until it ends",
                     reading_->newer->segment->pid(), segment().pid()),
         all);
  }
  if (const std::size_t absent = all - sources_.found(); absent > 0)
    miss(MissingCause::refused, "its segment does not have these trace elements", absent);
  if (sources_.reads_probes()) losses_.report_unrecorded(named_, segment().unrecorded(), view);
}

void FollowedProcess::report_process(const PullWishes& wishes, View& view) const {
  const auto [state, process] = segments_->look_at(segment());
  ProcessReport report =
      eventspace::report_process(segment(), segments_->clock(), segments_->clock_rate(), process.get());
  report.process = named_.number();
  report.state = state;
  report.followed = followed_;
  report.complete_ticks = complete_;
  if (reading_->control != nullptr) report.collecting = reading_->control->collect_switch().state();
  if (wishes.with_threads) report.threads = report_threads(segment(), sources_.threads(), process.get());
  // Outside the plan, a thread that has not bound itself is a spare one, for future threads.
  if (named_.dynamic() != nullptr)
    std::erase_if(report.threads, [](const ThreadReport& thread) { return thread.tid == 0; });
  for (ThreadReport& thread : report.threads) thread.thread = sources_.number_in_scope(thread.thread);
  const bool is_seen = process == nullptr || process->is_found();
  if (wishes.with_usage && is_seen && may_live(state)) report.usage = read_process_usage(report.pid);
  view.processes.push_back(std::move(report));
}

void FollowedProcess::report_names(View& view) {
  if (sources_.reads_probes()) names_.report(named_, segment(), sources_, view);
}

void FollowedProcess::report_positions(View& view) {
  const SegmentView* const segment = reading_->segment.get();
  // A run that was given up is not read any more, and the scope still has the positions in `resume_`.
  if (predates_ || (segment == nullptr && (reading_->number != 0 || !resume_.empty()))) return;
  reported_run_.sent = reading_->number;
  const bool all = reported_run_.committed != reported_run_.sent;
  for (const TraceCursor& cursor : sources_.cursors()) {
    if (!all && !cursor.has_moved()) continue;
    if (segment == nullptr) {
      view.positions.push_back({cursor.trace(), named_.number(), 0, 0, 0});
    } else if (cursor.found() != nullptr) {
      view.positions.push_back({cursor.trace(), named_.number(), segment->pid(),
                                segment->created_realtime_ns(), cursor.sequence()});
    }
  }
}

}  // namespace eventspace
