#include "scopes/local_segments.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuplespace/error.h"
#include "tuplespace/process_stat.h"
#include "tuplespace/segment_layout.h"

namespace eventspace {
namespace {

RunState ask_kernel(const SegmentView& view) {
  if (view.ended()) return RunState::ended;
  const auto stat = read_process_stat(view.pid());
  const bool gone = !stat || stat->start_ticks != view.process_start_ticks() || stat->state == 'Z';
  if (gone) return view.ended() ? RunState::ended : RunState::dead;
  return stat->state == 'T' || stat->state == 't' ? RunState::stopped : RunState::running;
}

// "eventspace.UID.SESSION.NODE.PROCESS.PID": the escaped name of the process.
std::string process_in(const std::string& file_name) {
  const std::size_t pid = file_name.rfind('.');
  const std::size_t process = pid == std::string::npos || pid == 0 ? pid : file_name.rfind('.', pid - 1);
  return process == std::string::npos ? "" : file_name.substr(process + 1, pid - process - 1);
}

}  // namespace

LocalSegments::Found LocalSegments::find(const std::string& process) {
  rescan_if_due();
  const auto found = entries_.find(segment_layout::escaped(process));
  if (found == entries_.end()) return {};
  const Entry& entry = found->second;
  if (entry.view && !entry.view->intact()) {
    return {nullptr, entry.generation, fmt::format("{} was truncated", entry.view->path().string())};
  }
  return {entry.view.get(), entry.generation, entry.refusal};
}

void LocalSegments::rescan_if_due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_scan_) return;
  next_scan_ = now + config_.rescan;
  for (auto& [process, entry] : entries_) entry.refusal.clear();
  for (const auto& file : find_segments(config_.session, config_.node, config_.directory)) consider(file);
}

void LocalSegments::consider(const std::filesystem::path& file) {
  Entry& entry = entries_[process_in(file.filename().string())];
  if (entry.view && entry.view->path() == file) return;
  try {
    auto view = std::make_unique<SegmentView>(file);
    if (view->identity().fingerprint != config_.fingerprint) {
      throw EnvironmentError(fmt::format("segment {} was made from another pathmap", file.string()));
    }
    adopt(std::move(view));
  } catch (const Error& error) {
    entry.refusal = error.what();
  }
}

// Of several segments of one process the one made last counts; older ones were left by processes that died.
void LocalSegments::adopt(std::unique_ptr<SegmentView> view) {
  Entry& entry = entries_[segment_layout::escaped(view->identity().process)];
  if (entry.view && entry.view->created_realtime_ns() >= view->created_realtime_ns()) return;
  entry = {std::move(view), ++last_generation_, ""};
}

RunState LocalSegments::state_of(const SegmentView& view) {
  constexpr std::chrono::milliseconds good_for{5};
  const auto now = std::chrono::steady_clock::now();
  if (view.ended()) return RunState::ended;  // other processes of the session may share its id
  KnownState& known = states_[view.pid()];
  const bool good = now < known.until && known.start_ticks == view.process_start_ticks();
  if (!good) known = {ask_kernel(view), view.process_start_ticks(), now + good_for};
  return known.state;
}

}  // namespace eventspace
