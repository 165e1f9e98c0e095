#include <fmt/format.h>

#include <map>

#include "pathmaps/expansion/home.h"
#include "pathmaps/expansion/steps.h"
#include "pathmaps/reading/names.h"

namespace eventspace::expansion {

using reading::Entry;
using reading::Mapping;

namespace {

class Placement {
 public:
  Placement(const Mapping& pathmap, Draft& draft)
      : draft_(draft), map_(pathmap.find("placement"), reading::placement_shape, draft.faults) {}

  void read() {
    draft_.thread_hosts.assign(draft_.threads.size(), std::nullopt);
    for (const auto& entry : map_.entries("processes")) read_process(entry);
    if (map_.find("processes") != nullptr) report_unplaced_threads();
    place_elements(map_.items("elements"), draft_);
  }

 private:
  void read_process(const Entry& entry) {
    const Word name{entry.key, entry.place};
    const Mapping process(entry.value, reading::process_shape, draft_.faults);
    check_name(name, reading::NameKind::simple, draft_.faults);
    draft_.processes.add(name, draft_.faults);
    ProcessPlan plan{.name = entry.key, .node = {}, .port = 0, .endpoint = {}};
    const auto node = process.word("node");
    const auto number = node ? draft_.nodes.require(*node, draft_.faults) : std::nullopt;
    plan.node = number.value_or(NodeIndex(0));
    if (const auto port = process.integer("port", {0, 65535})) plan.port = static_cast<std::uint16_t>(*port);
    if (number && plan.port != 0) plan.endpoint = endpoint_of(draft_.plan.nodes[*number].host, plan.port);
    draft_.process_nodes.push_back(number);
    draft_.process_ports.push_back(process.find("port") != nullptr ? process.place("port") : name.place);
    draft_.plan.processes.push_back(std::move(plan));
    place_threads(process);
  }

  void place_threads(const Mapping& process) {
    const auto globs = process.words("threads");
    if (process.is_empty("threads"))
      draft_.faults.add(process.place("threads"),
                        "the process has no threads; expected the names of one or more");
    for (const auto& glob : globs) {
      for (const auto thread : draft_.threads.select(glob, draft_.faults)) place_thread(thread, glob.place);
    }
  }

  /// Places a thread in the process that was read last.
  void place_thread(ThreadIndex thread, const Place& place) {
    const auto process = draft_.plan.processes.index_of(draft_.plan.processes.back());
    auto& planned = std::get<ApplicationThread>(draft_.plan.threads[thread].kind);
    auto& host = draft_.thread_hosts[thread];
    if (host && planned.process != process) {
      draft_.faults.add(
          place, fmt::format("thread '{}' is already in process '{}'; a thread can be in only one process",
                             draft_.threads.name(thread), draft_.plan.processes[planned.process].name));
      return;
    }
    host = process;
    planned.process = process;
  }

  /// Reports one fault for each entry of `threads:` with unplaced threads. An entry can represent thousands.
  void report_unplaced_threads() {
    std::map<Place, std::vector<ThreadIndex>> unplaced;
    for (const ThreadIndex thread : draft_.threads.indices()) {
      if (!draft_.thread_hosts[thread]) unplaced[draft_.threads.place(thread)].push_back(thread);
    }
    for (const auto& [place, threads] : unplaced) {
      const auto others = threads.size() == 1 ? "" : fmt::format(" (and {} more)", threads.size() - 1);
      draft_.faults.add(
          place, fmt::format("thread '{}'{} is not in a process; add it to one in placement: processes:",
                             draft_.threads.name(threads.front()), others));
    }
  }

  Draft& draft_;
  Mapping map_;
};

}  // namespace

void read_placement(const Mapping& pathmap, Draft& draft) { Placement(pathmap, draft).read(); }

}  // namespace eventspace::expansion
