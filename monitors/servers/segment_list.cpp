#include "monitors/servers/segment_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "collectors/event_record.h"
#include "tuplespace/shared/element_file.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/process_stat.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

std::vector<fs::path> files_of_all_sessions() {
  return session_files::find(segment_directory(), fmt::format("eventspace.{}.", ::geteuid()));
}

std::vector<fs::path> files_of(const std::string& session) {
  std::vector<fs::path> files = find_segments(session);
  const std::vector<fs::path> more = find_element_files(session);
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

std::int64_t now_realtime_ns() {
  return nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// "eventspace.UID.SESSION.NODE.PROCESS.PID", and ".elements" at the end of an element file
std::int32_t pid_in_name(const fs::path& file) {
  const std::string extension = (is_element_file(file) ? file.stem() : file).extension().string();
  std::int32_t pid = 0;
  if (extension.size() > 1) std::from_chars(extension.data() + 1, extension.data() + extension.size(), pid);
  return pid;
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

SegmentState state_of(const SegmentView& view) {
  if (!is_alive(view.pid(), view.process_start_ticks())) return SegmentState::dead;
  return view.ended() ? SegmentState::ended : SegmentState::alive;
}

void read_segment(SegmentEntry& entry) {
  const SegmentView view(entry.file);
  entry.state = state_of(view);
  entry.identity = view.identity();
  entry.pid = view.pid();
  entry.trace_elements = view.traces().size();
  read_rings(entry, view);
}

void read_element_file(SegmentEntry& entry) {
  ElementFileView view(entry.file);
  const bool alive = is_alive(view.pid(), view.process_start_ticks());
  entry.state = alive ? SegmentState::alive : SegmentState::dead;
  entry.identity = view.identity();
  entry.pid = view.pid();
  entry.elements = view.elements().size();
  entry.age = nanoseconds(std::max<std::int64_t>(0, now_realtime_ns() - view.created_realtime_ns()));
  entry.silent_for = entry.age;
}

SegmentEntry describe(const fs::path& file) {
  SegmentEntry entry;
  entry.file = file;
  entry.kind = is_element_file(file) ? SegmentKind::elements : SegmentKind::segment;
  std::error_code error;
  if (const auto bytes = fs::file_size(file, error); !error) entry.bytes = bytes;
  try {
    entry.kind == SegmentKind::elements ? read_element_file(entry) : read_segment(entry);
  } catch (const Error& refusal) {
    entry.state = SegmentState::refused;
    entry.pid = pid_in_name(file);
    entry.refusal = refusal.what();
  }
  return entry;
}

}  // namespace

std::string_view to_string(SegmentKind kind) noexcept {
  return kind == SegmentKind::elements ? "elements" : "segment";
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
  }
  return "unknown";
}

bool SegmentEntry::is_orphan() const {
  if (state == SegmentState::refused) return !read_process_stat(pid);
  return state == SegmentState::dead;
}

std::vector<SegmentEntry> list_segments(const std::string& session) {
  std::vector<fs::path> files = session.empty() ? files_of_all_sessions() : files_of(session);
  std::sort(files.begin(), files.end());
  std::vector<SegmentEntry> entries;
  std::error_code error;
  for (const fs::path& file : files) {
    SegmentEntry entry = describe(file);
    if (fs::exists(file, error)) entries.push_back(std::move(entry));  // it may have been removed meanwhile
  }
  return entries;
}

std::size_t remove_orphans(const std::vector<SegmentEntry>& entries, nanoseconds kept) {
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [kept](const auto& entry) {
    std::error_code error;
    const bool wanted = entry.kind == SegmentKind::segment && entry.silent_for < kept;
    return entry.is_orphan() && !wanted && fs::remove(entry.file, error);
  }));
}

}  // namespace eventspace
