#include "collectors/switching/switch_processes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "paths/parameters/glob.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/system/shared_file.h"
#include "tuplespace/trace/control_file.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest = 1000;  // name or refusal, in bytes

bool lives(const fs::path& file, std::int32_t pid, std::uint64_t start_ticks) {
  // The lock works across containers, the id also on file systems without locks.
  return is_in_use(file) || is_alive(pid, start_ticks);
}

// The names and paths come from files that are not trusted.
template <class View>
SwitchedProcess described(const View& view, CollectState state, const std::string& refusal) {
  return {made_plain(view.identity().node, longest), made_plain(view.identity().process, longest), view.pid(),
          std::move(state), made_plain(refusal, longest)};
}

/// The processes that an order selects.
struct Chosen {
  const SwitchOrder& order;
  const std::vector<std::int32_t>& pids;  // empty means all

  template <class View>
  [[nodiscard]] bool has(const View& view) const {
    return glob_match(order.processes, view.identity().process) &&
           (pids.empty() || std::ranges::find(pids, view.pid()) != pids.end());
  }
};

// All three return nullopt if the order does not select the process, or if it is gone.

std::optional<SwitchedProcess> carry_out(const Chosen& chosen, const fs::path& control) {
  using Access = ControlView::Access;
  const SwitchOrder& order = chosen.order;
  ControlView view(control, order.period ? Access::write : Access::read);
  if (!chosen.has(view)) return std::nullopt;
  if (!lives(control, view.pid(), view.process_start_ticks())) return std::nullopt;
  if (order.period) {
    for (const EventClasses& events : order.events) view.writable_switch().set(events, *order.period);
  }
  return described(view, view.collect_switch().state(), {});
}

std::optional<SwitchedProcess> name_refused(const Chosen& chosen, const fs::path& segment,
                                            const std::string& why) {
  try {
    const SegmentView view(segment);
    if (!chosen.has(view)) return std::nullopt;
    if (!lives(segment, view.pid(), view.process_start_ticks())) return std::nullopt;
    return described(view, {}, why);
  } catch (const Error&) {
    return std::nullopt;  // the process is unknown; `eventspace segments` reports what is wrong
  }
}

std::optional<SwitchedProcess> look_at(const Chosen& chosen, const fs::path& segment) {
  const fs::path control = control_file_of(segment);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(control, error)))
    return name_refused(chosen, segment, "its control file is missing: it could not be made, or was removed");
  try {
    return carry_out(chosen, control);
  } catch (const EnvironmentError& refusal) {
    return name_refused(chosen, segment, refusal.what());
  }
}

}  // namespace

std::vector<SwitchedProcess> switch_processes(const std::string& session, const std::string& node,
                                              const SwitchOrder& order, const std::vector<std::int32_t>& pids,
                                              const fs::path& directory) {
  const Chosen chosen{order, pids};
  std::vector<SwitchedProcess> processes;
  for (const fs::path& segment : find_segments(session, node, directory)) {
    if (auto process = look_at(chosen, segment)) processes.push_back(std::move(*process));
  }
  return processes;
}

std::vector<SwitchedProcess> switch_processes(const std::string& session, const std::string& node,
                                              const SwitchOrder& order, const fs::path& directory) {
  return switch_processes(session, node, order, {}, directory);
}

}  // namespace eventspace
