#include "pathmaps/plan/plan_names.h"

namespace eventspace {
namespace {

constexpr std::string_view unknown = "?";

}  // namespace

std::uint32_t number_of_node_server(const Plan& plan, std::size_t node) noexcept {
  return static_cast<std::uint32_t>(plan.processes.size() + node);
}

std::uint32_t number_of_process(const Plan& plan, const ThreadPlan& thread) noexcept {
  return thread.server ? number_of_node_server(plan, *thread.server)
                       : static_cast<std::uint32_t>(thread.process);
}

std::size_t node_of(const Plan& plan, const ThreadPlan& thread) noexcept {
  return thread.server.value_or(plan.processes[thread.process].node);
}

std::string name_of_node_server(const Plan& plan, std::size_t node) {
  return "server@" + plan.nodes[node].name;
}

NamesOfPlan::NamesOfPlan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
  for (std::size_t i = 0; i < plan_->nodes.size(); ++i) servers_.push_back(name_of_node_server(*plan_, i));
}

std::string_view NamesOfPlan::thread_name(std::uint32_t thread) const {
  return thread < plan_->threads.size() ? std::string_view(plan_->threads[thread].name) : unknown;
}

std::string_view NamesOfPlan::path_name(std::uint32_t path) const {
  return path < plan_->paths.size() ? std::string_view(plan_->paths[path].name) : unknown;
}

std::string_view NamesOfPlan::process_name(std::uint32_t process) const {
  if (process < plan_->processes.size()) return plan_->processes[process].name;
  const std::size_t node = process - plan_->processes.size();
  return node < servers_.size() ? std::string_view(servers_[node]) : unknown;
}

std::string_view NamesOfPlan::node_of_process(std::uint32_t process) const {
  if (process < plan_->processes.size()) return plan_->nodes[plan_->processes[process].node].name;
  const std::size_t node = process - plan_->processes.size();
  return node < plan_->nodes.size() ? std::string_view(plan_->nodes[node].name) : unknown;
}

std::optional<SourceRef> NamesOfPlan::source_of(std::uint32_t path, std::uint16_t point) const {
  if (path >= plan_->paths.size()) return std::nullopt;
  for (const std::size_t number : plan_->paths[path].traces) {
    const TracePlan& trace = plan_->traces[number];
    if (static_cast<std::uint16_t>(trace.point) != point) continue;
    const std::uint32_t process = trace.process ? static_cast<std::uint32_t>(*trace.process)
                                                : number_of_node_server(*plan_, trace.node);
    return SourceRef{static_cast<std::uint32_t>(number), process};
  }
  return std::nullopt;
}

std::vector<CollectivePath> NamesOfPlan::collective_paths() const {
  std::vector<CollectivePath> paths;
  for (std::size_t joint = 0; joint < plan_->joints.size(); ++joint) {
    for (const std::size_t path : plan_->joints[joint].children) {
      const auto& uplink_of = plan_->threads[plan_->paths[path].thread].joint;
      paths.push_back({static_cast<std::uint32_t>(path),
                       static_cast<std::uint32_t>(plan_->joints[joint].collective),
                       static_cast<std::uint32_t>(joint),
                       {}});
      if (uplink_of) paths.back().uplink_of = static_cast<std::uint32_t>(*uplink_of);
    }
  }
  return paths;
}

std::shared_ptr<const PlanNames> NamesOfPlan::shared() const { return std::make_shared<NamesOfPlan>(plan_); }

}  // namespace eventspace
