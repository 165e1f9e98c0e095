#include "scopes/reading/followed_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <eventspace/error.h>
#include "scopes/reading/process_clock.h"
#include "scopes/reading/process_reports.h"
#include "scopes/tree/local_ids.h"
#include "tuplespace/trace/control_file.h"

namespace eventspace {
namespace {

bool runs(const SegmentView& segment, LocalSegments& segments) {
  return may_live(segments.state_of(segment));
}

}  // namespace

void FollowedProcess::settle(bool arrived) {
  settle_news(arrived);
  sources_.settle(arrived);
  reported_run_.settle(arrived);
  const std::uint64_t named = std::exchange(given_up_named_, 0);
  if (arrived) given_up_ -= named;
}

void FollowedProcess::settle_news(bool arrived) {
  reported_unrecorded_.settle(arrived);
  reported_names_.settle(arrived);
}

LocalSegments::Found FollowedProcess::find() const {
  if (dynamic_) return {dynamic_->run, {}};
  return segments_->find(std::string(names_->process_name(number_)));
}

std::string_view FollowedProcess::name() const {
  return dynamic_ ? std::string_view(dynamic_->name) : names_->process_name(number_);
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
  if (reading_->segment == nullptr || predates_ || !reading_->readable()) return;
  complete_ = ticks_now(segment().clock(), segments_->clock(), clock_shift_of(segment()));
}

void FollowedProcess::read_unread(Pull& pull) {
  sources_.read_unread(pull);
  for (const TraceCursor& cursor : sources_.cursors())
    complete_ = std::min(complete_, cursor.complete_ticks());
}

// Finds the trace elements that the process has registered since the last pull.
void FollowedProcess::look_for_more() {
  if (!sources_.reads_probes() || reading_->segment == nullptr || predates_ || !reading_->readable()) return;
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
  if (latest == resume_.end() || dynamic_) return take_up(std::move(newest), false);
  auto since = segments_->find_since(std::string(names_->process_name(number_)), latest->created_ns);
  given_up_ += since.given_up;
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

// Leaves generations that are completely read.
void FollowedProcess::follow() {
  while (reading_->newer != nullptr && is_read_out()) {
    const std::shared_ptr<const Generation> left = reading_;
    const bool lost = left->number != 0 && !predates_ && !left->readable();
    given_up_ += generations_between(*left, *left->newer) + (lost ? 1 : 0);
    // The consumer does not know a generation that no view reported. For the consumer the next generation
    // follows an older one, which may not have been read to its end.
    const bool is_known = followed_ || reported_run_.committed == left->number;
    take_up(left->newer, true);
    followed_ = followed_ && is_known;
  }
}

bool FollowedProcess::is_over() {
  if (!is_intact()) return true;
  if (runs(segment(), *segments_)) return false;
  look_for_more();  // trace elements that it added before its end
  return sources_.is_read_out() && are_names_reported();
}

// The number of names in one view is limited. If a process was left before its other names were reported, its
// events would have unknown names.
bool FollowedProcess::are_names_reported() const {
  const std::size_t from_reader = dynamic_ ? 1 : 0;
  return !sources_.reads_probes() || reported_names_.committed >= from_reader + segment().names().size();
}

bool FollowedProcess::is_read_out() {
  if (!is_intact()) return true;          // nothing more can be read
  if (runs_beside_newer()) return false;  // before the rings are read: an ended process writes no more
  look_for_more();                        // trace elements that it added before its end
  return sources_.is_read_out() && are_names_reported();
}

// Two running processes of one name are not a restart: the older one is read until it ends. If one process
// made both segments, for example by exec, it no longer writes to the older one.
bool FollowedProcess::runs_beside_newer() const {
  const SegmentView& newer = *reading_->newer->segment;
  if (segment().pid() == newer.pid() && segment().process_start_ticks() == newer.process_start_ticks())
    return false;
  return runs(segment(), *segments_);
}

void FollowedProcess::take_up(std::shared_ptr<const Generation> generation, bool followed) {
  reading_ = std::move(generation);
  predates_ = false;
  if (reading_->segment == nullptr || reading_->number == bound_) return;
  bound_ = reading_->number;
  reported_unrecorded_ = {};
  reported_names_ = {};
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
  const auto miss_all = [&](MissingCause cause, std::string detail) {
    miss(cause, std::move(detail), sources_.size(), view);
  };
  given_up_named_ = given_up_;
  if (given_up_ > 0) {
    miss_all(
        MissingCause::restarted,
        fmt::format("the unread events of {} earlier {} are lost: more than {} runs followed, or a segment "
                    "was truncated",
                    given_up_, given_up_ == 1 ? "run" : "runs", generations_kept));
  }
  if (reading_->segment == nullptr || predates_) {
    return miss_all(refusal_.empty() ? MissingCause::no_segment : MissingCause::refused, refusal_);
  }
  if (!readable_) {
    return miss_all(MissingCause::refused, fmt::format("{} was truncated", segment().path().string()));
  }
  if (!refusal_.empty()) miss_all(MissingCause::refused, refusal_);
  if (reading_->newer != nullptr && runs_beside_newer()) {
    miss_all(MissingCause::restarted,
             fmt::format("pid {} was started beside pid {}, which is read until it ends",
                         reading_->newer->segment->pid(), segment().pid()));
  }
  if (const std::size_t absent = sources_.size() - sources_.found(); absent > 0) {
    miss(MissingCause::refused, "its segment does not have these trace elements", absent, view);
  }
  report_unrecorded(view);
}

// Reports each increase once: a thread that did not get a place stays without one for its life.
void FollowedProcess::report_unrecorded(View& view) {
  if (!sources_.reads_probes()) return;
  const std::uint64_t count = segment().unrecorded();
  const std::uint64_t named = reported_unrecorded_.committed;
  reported_unrecorded_.sent = count;
  if (count <= named) return;
  miss(MissingCause::refused,
       fmt::format("it has no room to record {} more threads or paths of threads: its segment or the shared "
                   "memory is full",
                   count - named),
       count - named, view);
}

void FollowedProcess::miss(MissingCause cause, std::string detail, std::size_t sources, View& view) const {
  const std::string_view node =
      dynamic_ ? std::string_view(dynamic_->node) : names_->node_of_process(number_);
  view.missing.push_back({std::string(node), fmt::format("process {}", name()), cause, std::move(detail),
                          static_cast<std::uint32_t>(sources)});
}

void FollowedProcess::report_process(const PullWishes& wishes, View& view) const {
  const auto [state, process] = segments_->look_at(segment());
  ProcessReport report =
      eventspace::report_process(segment(), segments_->clock(), segments_->clock_rate(), process.get());
  report.process = number_;
  report.state = state;
  report.followed = followed_;
  report.complete_ticks = complete_;
  if (reading_->control != nullptr) report.collecting = reading_->control->collect_switch().state();
  if (wishes.with_threads) report.threads = report_threads(segment(), sources_.threads(), process.get());
  // Outside the plan, a thread that has not bound itself is a spare one, for future threads.
  if (dynamic_) std::erase_if(report.threads, [](const ThreadReport& thread) { return thread.tid == 0; });
  for (ThreadReport& thread : report.threads) thread.thread = sources_.number_in_scope(thread.thread);
  const bool is_seen = process == nullptr || process->is_found();
  if (wishes.with_usage && is_seen && may_live(state)) report.usage = read_process_usage(report.pid);
  view.processes.push_back(std::move(report));
}

void FollowedProcess::report_names(View& view) {
  if (!sources_.reads_probes()) return;
  constexpr std::size_t max_bytes = 256 << 10;  // in one view; the others are in the next
  const auto& names = segment().names();
  std::size_t next = reported_names_.committed;
  const std::size_t from_reader = dynamic_ ? 1 : 0;  // the names of the process itself count as one
  if (next < from_reader) {
    view.names.push_back({OwnNameOf::process, number_, dynamic_->name});
    view.names.push_back({OwnNameOf::node, number_, dynamic_->node});
    if (dynamic_->member) view.names.push_back({OwnNameOf::member, number_, dynamic_->member->text()});
    next = from_reader;
  }
  for (std::size_t bytes = 0; next - from_reader < names.size() && bytes < max_bytes; ++next) {
    const SegmentName& name = names[next - from_reader];
    bytes += name.text.size() + sizeof(OwnName);
    if (auto in_scope = name_in_scope(name)) view.names.push_back(std::move(*in_scope));
  }
  reported_names_.sent = next;
}

// A process names its own threads and paths, and numbers with one meaning in all processes, but not other
// processes.
std::optional<OwnName> FollowedProcess::name_in_scope(const SegmentName& name) const {
  const auto of = static_cast<OwnNameOf>(name.of);
  switch (of) {
    case OwnNameOf::probe:
    case OwnNameOf::values:
    case OwnNameOf::communicator:
    case OwnNameOf::named_communicator:
    case OwnNameOf::communicator_members:
    case OwnNameOf::spawned_job:
      return OwnName{of, name.number, name.text};
    case OwnNameOf::thread:
    case OwnNameOf::path:
    case OwnNameOf::site:
      break;
    default:  // of the reader, or of a newer program
      return std::nullopt;
  }
  const std::uint32_t number = sources_.number_in_scope(name.number);
  if (!is_local_id(number) || process_of_local_id(number) != number_) return std::nullopt;
  return OwnName{of, number, name.text};
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
      view.positions.push_back({cursor.trace(), number_, 0, 0, 0});
    } else if (cursor.found() != nullptr) {
      view.positions.push_back(
          {cursor.trace(), number_, segment->pid(), segment->created_realtime_ns(), cursor.sequence()});
    }
  }
}

}  // namespace eventspace
