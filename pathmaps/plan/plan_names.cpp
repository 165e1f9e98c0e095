#include "pathmaps/plan/plan_names.h"

#include "pathmaps/plan/match.h"

namespace eventspace {
namespace {

constexpr std::string_view unknown = "?";

}  // namespace

std::uint32_t number_of_node_server(const Plan& plan, NodeIndex node) noexcept {
  return static_cast<std::uint32_t>(plan.processes.size() + node.number());
}

std::uint32_t number_of_process(const Plan& plan, const Host& host) noexcept {
  return match(
      host, [](const ProcessIndex& process) { return process.number32(); },
      [&](const NodeIndex& node) { return number_of_node_server(plan, node); });
}

std::optional<Host> host_of_number(const Plan& plan, std::uint32_t process) noexcept {
  if (plan.processes.has(ProcessIndex(process))) return ProcessIndex(process);
  const NodeIndex node(process - plan.processes.size());
  return plan.nodes.has(node) ? std::optional<Host>(node) : std::nullopt;
}

std::string name_of_node_server(const Plan& plan, NodeIndex node) {
  return "server@" + plan.nodes[node].name;
}

NamesOfPlan::NamesOfPlan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
  for (const NodeIndex node : plan_->nodes.indices()) servers_.push_back(name_of_node_server(*plan_, node));
}

std::string_view NamesOfPlan::thread_name(std::uint32_t thread) const {
  const ThreadIndex index(thread);
  return plan_->threads.has(index) ? std::string_view(plan_->threads[index].name) : unknown;
}

std::string_view NamesOfPlan::path_name(std::uint32_t path) const {
  const PathIndex index(path);
  return plan_->paths.has(index) ? std::string_view(plan_->paths[index].name) : unknown;
}

std::string_view NamesOfPlan::process_name(std::uint32_t process) const {
  const std::optional<Host> host = host_of_number(*plan_, process);
  if (!host) return unknown;
  return match(
      *host, [this](const ProcessIndex& index) { return std::string_view(plan_->processes[index].name); },
      [this](const NodeIndex& node) { return std::string_view(servers_[node]); });
}

std::string_view NamesOfPlan::node_of_process(std::uint32_t process) const {
  const std::optional<Host> host = host_of_number(*plan_, process);
  return host ? std::string_view(plan_->nodes[plan_->node_of(*host)].name) : unknown;
}

std::optional<SourceRef> NamesOfPlan::source_of(std::uint32_t path, std::uint16_t point) const {
  const PathIndex index(path);
  if (!plan_->paths.has(index)) return std::nullopt;
  for (const TraceIndex number : plan_->paths[index].traces) {
    const TracePlan& trace = plan_->traces[number];
    if (static_cast<std::uint16_t>(trace.point) != point) continue;
    return SourceRef{number.number32(), number_of_process(*plan_, trace.host)};
  }
  return std::nullopt;
}

std::vector<CollectivePath> NamesOfPlan::collective_paths() const {
  std::vector<CollectivePath> paths;
  for (const JointIndex joint : plan_->joints.indices()) {
    const JointPlan& planned = plan_->joints[joint];
    for (const PathIndex path : planned.children) {
      paths.push_back({path.number32(), planned.collective.number32(), joint.number32(), {}});
      const auto uplink_of = plan_->threads[plan_->paths[path].thread].joint();
      if (uplink_of) paths.back().uplink_of = uplink_of->number32();
    }
  }
  return paths;
}

std::shared_ptr<const PlanNames> NamesOfPlan::shared() const { return std::make_shared<NamesOfPlan>(plan_); }

}  // namespace eventspace
