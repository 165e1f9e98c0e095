#include "monitors/probing/nodes/node_work.h"

#include <fmt/format.h>

#include <utility>

#include <eventspace/session.h>
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/probing/groups/group_packets.h"
#include "monitors/probing/nodes/group_filter.h"

namespace eventspace {

GroupWorkOnNodes::GroupWorkOnNodes(const NodeChoice& nodes)
    : network_(nodes), stream_(network_.open(group_filter)) {}

GroupAnswer GroupWorkOnNodes::carry_out(const GroupOrder& order) {
  NodeNetwork::Answer answered = network_.ask(stream_, packet_of(order));
  GroupAnswer answer = answer_in(answered.packet);
  answer.silent = std::move(answered.silent);
  return answer;
}

std::unique_ptr<GroupWork> work_on(const NodeChoice& nodes) {
  if (nodes.is_here()) return std::make_unique<GroupWorkHere>();
  auto work = std::make_unique<GroupWorkOnNodes>(nodes);
  work->network().report_failures();
  return work;
}

ProcessChoice processes_on(const NodeChoice& nodes, ProcessChoice processes) {
  check_nodes(nodes, processes);
  if (nodes.pathmap.empty() || !processes.is_empty()) return processes;
  const auto plan = read_pathmap_file(nodes.pathmap, "the command may read it more than once");
  processes.where = fmt::format("session == '{}'", session_name(*plan, ""));
  return processes;
}

}  // namespace eventspace
