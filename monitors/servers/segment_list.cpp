#include "monitors/servers/segment_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

#include <eventspace/error.h>
#include "collectors/event_record.h"
#include "scopes/tree/local_ids.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/shared/element_file.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

std::string prefix_of(const std::string& session) {
  return session.empty() ? fmt::format("eventspace.{}.", ::geteuid()) : session_files::prefix(session, "");
}

SegmentKind kind_of(const fs::path& file) {
  if (is_draft(file)) return SegmentKind::draft;
  if (is_annex(file)) return SegmentKind::annex;
  if (is_control_file(file)) return SegmentKind::control;
  return is_element_file(file) ? SegmentKind::elements : SegmentKind::segment;
}

std::int64_t now_realtime_ns() {
  return nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// "eventspace.UID.SESSION.NODE.PROCESS.PID", then ".NAME.annex", ".elements" or ".control" unless it is a
// segment, then ".new" if it is a draft
std::int32_t pid_in_name(fs::path file) {
  if (is_draft(file)) file = file.stem();
  if (is_element_file(file) || is_control_file(file)) file = file.stem();
  file = session_files::segment_name_of(file);
  const std::string extension = file.extension().string();
  return extension.empty() ? 0 : leading_number<std::int32_t>(extension.substr(1));
}

std::int64_t newest_end(const SegmentView& view) {
  std::int64_t newest = 0;
  for (const SegmentView::Trace& trace : view.traces()) {
    const auto tuple = trace.reader.newest();
    if (tuple) newest = std::max(newest, view.clock().to_realtime_ns(decode(*tuple).end));
  }
  return newest;
}

void read_rings(SegmentEntry& entry, const SegmentView& view) {
  if (!view.intact()) return;
  for (const SegmentView::Trace& trace : view.traces()) entry.events += trace.reader.published();
  const std::int64_t now = now_realtime_ns();
  entry.age = nanoseconds(std::max<std::int64_t>(0, now - view.created_realtime_ns()));
  entry.silent_for = std::clamp(nanoseconds(now - newest_end(view)), nanoseconds(0), entry.age);
}

// Sets the ids and the state of the process, which the file identifies as `owner`.
void look_at_process(SegmentEntry& entry, const ProcessIdentity& owner,
                     const std::function<FileLock()>& lock) {
  const ProcessSight process(owner);
  entry.pid = process.pid();
  entry.is_seen = process.is_found();
  switch (process.look(lock)) {
    case Presence::running:
    case Presence::stopped:
    case Presence::hidden:
      entry.state = SegmentState::alive;
      return;
    case Presence::unknown:
      entry.state = SegmentState::unknown;
      return;
    case Presence::gone:
      entry.state = SegmentState::dead;
  }
}

// Spare trace elements are for future threads (GrowingTraces).
bool is_spare(const TraceSpec& spec, const SegmentView& view) {
  if (!is_local_id(spec.thread)) return false;
  const auto& threads = view.threads();
  const auto thread = std::ranges::find(threads, spec.thread);
  return thread != threads.end() && view.tid(static_cast<std::size_t>(thread - threads.begin())) == 0;
}

void read_segment(SegmentEntry& entry) {
  const SegmentView view(entry.file);
  look_at_process(entry, view.owner(), [&view] { return view.lock(); });
  if (entry.state != SegmentState::dead && view.ended()) entry.state = SegmentState::ended;
  entry.identity = view.identity();
  for (std::size_t thread = 0; thread < view.threads().size(); ++thread)
    entry.threads += view.tid(thread) != 0 ? 1 : 0;
  entry.trace_elements = static_cast<std::size_t>(std::ranges::count_if(
      view.traces(), [&](const SegmentView::Trace& trace) { return !is_spare(trace.spec, view); }));
  entry.keep = view.keep();
  read_rings(entry, view);
}

void read_element_file(SegmentEntry& entry) {
  ElementFileView view(entry.file);
  look_at_process(entry, view.owner(), [&entry] { return lock_on(entry.file); });
  entry.identity = view.identity();
  entry.elements = view.elements().size();
  entry.age = nanoseconds(std::max<std::int64_t>(0, now_realtime_ns() - view.created_realtime_ns()));
  entry.silent_for = entry.age;
}

bool is_fresh(const fs::path& file) {
  constexpr std::chrono::seconds fresh{10};
  std::error_code error;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(file, error);
  return !error && age < fresh;
}

// A draft is never opened, nor is a control file without a segment. In another container its process may have
// another id than in the file's name, so the lock is also checked. Between creating and locking the file,
// only the id shows that it is in use, or in another container its age.
void look_at_lock(SegmentEntry& entry) {
  entry.pid = pid_in_name(entry.file);
  const bool alive = is_in_use(entry.file) || read_process_stat(entry.pid) || is_fresh(entry.file);
  entry.state = alive ? SegmentState::alive : SegmentState::dead;
}

void read(SegmentEntry& entry) {
  switch (entry.kind) {
    case SegmentKind::segment:
    case SegmentKind::annex:
      return read_segment(entry);
    case SegmentKind::elements:
      return read_element_file(entry);
    case SegmentKind::control:
    case SegmentKind::draft:
      return look_at_lock(entry);
  }
}

SegmentEntry describe(const fs::path& file) {
  SegmentEntry entry;
  entry.file = file;
  entry.kind = kind_of(file);
  std::error_code error;
  if (const auto bytes = fs::file_size(file, error); !error) entry.bytes = bytes;
  try {
    read(entry);
  } catch (const Error& refusal) {
    entry.state = SegmentState::refused;
    entry.pid = pid_in_name(file);
    entry.refusal = refusal.what();
  }
  return entry;
}

// Takes only annexes and their drafts from the directories of annexes: other files there belong to others.
std::vector<fs::path> files_of(const std::string& session, const std::vector<fs::path>& annex_directories) {
  const fs::path usual = segment_directory();
  std::vector<fs::path> files = session_files::find(usual, prefix_of(session));
  std::set<fs::path> directories;
  for (const fs::path& directory : annex_directories) directories.insert(own_directory_in(directory));
  for (const fs::path& directory : directories) {
    if (directory == usual) continue;
    for (const fs::path& file : session_files::find(directory, prefix_of(session)))
      if (is_annex(is_draft(file) ? fs::path(file.stem()) : file)) files.push_back(file);
  }
  return files;
}

}  // namespace

std::string_view to_string(SegmentKind kind) noexcept {
  switch (kind) {
    case SegmentKind::segment:
      return "segment";
    case SegmentKind::annex:
      return "annex";
    case SegmentKind::elements:
      return "elements";
    case SegmentKind::control:
      return "control";
    case SegmentKind::draft:
      return "draft";
  }
  return "unknown";
}

std::string_view to_string(SegmentState state) noexcept {
  switch (state) {
    case SegmentState::alive:
      return "alive";
    case SegmentState::ended:
      return "ended";
    case SegmentState::dead:
      return "dead";
    case SegmentState::refused:
      return "refused";
    case SegmentState::unknown:
      return "unknown";
  }
  return "unknown";
}

bool SegmentEntry::is_orphan() const {
  if (state == SegmentState::refused) return !is_in_use(file) && !read_process_stat(pid);
  return state == SegmentState::dead;
}

namespace {

// Files without information: files of a process that is joining or leaving, and control files beside their
// segments.
bool is_no_news(const SegmentEntry& entry) {
  if (entry.kind != SegmentKind::draft && entry.kind != SegmentKind::control) return false;
  std::error_code error;
  const bool has_segment =
      entry.kind == SegmentKind::control && fs::exists(fs::path(entry.file).replace_extension(), error);
  return has_segment || entry.state == SegmentState::alive;
}

void remove_control_file_of(const fs::path& segment) {
  const fs::path control = control_file_of(segment);
  std::error_code error;
  if (!is_in_use(control)) fs::remove(control, error);  // it may belong to a later process with this name
}

}  // namespace

std::vector<SegmentEntry> list_segments(const std::string& session,
                                        const std::vector<fs::path>& annex_directories) {
  std::vector<SegmentEntry> entries;
  std::error_code error;
  for (const fs::path& file : files_of(session, annex_directories)) {
    SegmentEntry entry = describe(file);
    const bool exists = fs::exists(file, error);  // it may have been removed since
    if (exists && !is_no_news(entry)) entries.push_back(std::move(entry));
  }
  return entries;
}

std::size_t remove_orphans(const std::vector<SegmentEntry>& entries, std::optional<nanoseconds> kept) {
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [kept](const auto& entry) {
    std::error_code error;
    const bool has_traces = entry.kind == SegmentKind::segment || entry.kind == SegmentKind::annex;
    const bool wanted = kept && has_traces && entry.silent_for < entry.keep.value_or(*kept);
    if (!entry.is_orphan() || wanted || !fs::remove(entry.file, error)) return false;
    if (entry.kind == SegmentKind::segment) remove_control_file_of(entry.file);
    return true;
  }));
}

namespace {

bool has_ended(const std::filesystem::path& file) {
  try {
    return SegmentView(file).ended();
  } catch (const EnvironmentError&) {
    return false;
  }
}

}  // namespace

std::size_t remove_ended(const std::string& session, std::chrono::nanoseconds silent_for) {
  std::vector<SegmentEntry> entries = list_segments(session);
  std::erase_if(entries, [silent_for](const SegmentEntry& entry) {
    return entry.kind != SegmentKind::segment || entry.state != SegmentState::dead ||
           entry.silent_for < silent_for || !has_ended(entry.file);
  });
  return remove_orphans(entries);
}

}  // namespace eventspace
