#include "pathmaps/plan/plan_names.h"

#include "collectors/mpi/mpi_record.h"
#include "pathmaps/plan/match.h"
#include "scopes/tree/local_ids.h"

namespace eventspace {
namespace {

constexpr std::string_view unknown = "?";
constexpr std::string_view probes_path = "probes";
constexpr std::string_view other_communicator = "(another communicator)";

std::string_view or_unknown(std::string_view name) noexcept { return name.empty() ? unknown : name; }

}  // namespace

std::uint32_t number_of_node_server(const Plan& plan, NodeIndex node) noexcept {
  return static_cast<std::uint32_t>(plan.processes.size() + node.number());
}

std::uint32_t number_of_process(const Plan& plan, const Host& host) noexcept {
  return match(
      host, [](const ProcessIndex& process) { return process.number32(); },
      [&](const NodeIndex& node) { return number_of_node_server(plan, node); });
}

ProcessRange dynamic_numbers(const Plan& plan, NodeIndex node) noexcept {
  if (const auto& given = plan.nodes[node].dynamic) return *given;
  return dynamic_range(plan.processes.size() + plan.nodes.size(), plan.nodes.size(), node.number());
}

std::optional<NodeIndex> node_of_dynamic(const Plan& plan, std::uint32_t process) noexcept {
  for (const NodeIndex node : plan.nodes.indices()) {
    if (dynamic_numbers(plan, node).has(process)) return node;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> process_of_thread(const Plan& plan, std::uint32_t thread) noexcept {
  if (is_local_id(thread)) return process_of_local_id(thread);
  const ThreadIndex index(thread);
  if (!plan.threads.has(index)) return std::nullopt;
  return number_of_process(plan, plan.threads[index].host());
}

std::optional<Host> host_of_number(const Plan& plan, std::uint32_t process) noexcept {
  if (plan.processes.has(ProcessIndex(process))) return ProcessIndex(process);
  const NodeIndex node(process - plan.processes.size());
  return plan.nodes.has(node) ? std::optional<Host>(node) : std::nullopt;
}

std::string name_of_node_server(const Plan& plan, NodeIndex node) {
  return "server@" + plan.nodes[node].name;
}

NamesOfPlan::NamesOfPlan(std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), own_names_(std::make_shared<NameTable>()) {
  for (const NodeIndex node : plan_->nodes.indices()) servers_.push_back(name_of_node_server(*plan_, node));
}

std::string_view NamesOfPlan::thread_name(std::uint32_t thread) const {
  const ThreadIndex index(thread);
  if (plan_->threads.has(index)) return plan_->threads[index].name;
  return or_unknown(own_names_->find(OwnNameOf::thread, thread));
}

std::string_view NamesOfPlan::path_name(std::uint32_t path) const {
  const PathIndex index(path);
  if (plan_->paths.has(index)) return plan_->paths[index].name;
  if (!is_local_id(path)) return unknown;
  const std::string_view own = own_names_->find(OwnNameOf::path, path);
  return own.empty() ? probes_path : own;
}

std::string_view NamesOfPlan::process_name(std::uint32_t process) const {
  const std::optional<Host> host = host_of_number(*plan_, process);
  if (!host) return or_unknown(own_names_->find(OwnNameOf::process, process));
  return match(
      *host, [this](const ProcessIndex& index) { return std::string_view(plan_->processes[index].name); },
      [this](const NodeIndex& node) { return std::string_view(servers_[node]); });
}

std::string_view NamesOfPlan::node_of_process(std::uint32_t process) const {
  const std::optional<Host> host = host_of_number(*plan_, process);
  if (!host) return or_unknown(own_names_->find(OwnNameOf::node, process));
  return plan_->nodes[plan_->node_of(*host)].name;
}

std::string_view NamesOfPlan::cluster_of_process(std::uint32_t process) const {
  const std::optional<Host> host = host_of_number(*plan_, process);
  const auto node = host ? plan_->node_of(*host) : node_of_dynamic(*plan_, process);
  if (!node || !plan_->nodes[*node].cluster) return {};
  return plan_->clusters[*plan_->nodes[*node].cluster].name;
}

std::optional<JobMember> NamesOfPlan::member_of_process(std::uint32_t process) const {
  return JobMember::parse(own_names_->find(OwnNameOf::member, process));
}

std::string_view NamesOfPlan::probe_name(std::uint32_t probe) const {
  return or_unknown(own_names_->find(OwnNameOf::probe, probe));
}

std::string_view NamesOfPlan::probe_values(std::uint32_t probe) const {
  return own_names_->find(OwnNameOf::values, probe);
}

std::string_view NamesOfPlan::communicator_name(std::uint32_t communicator) const {
  if (communicator == MpiCallRecord::other_communicator) return other_communicator;
  const std::string_view own = own_names_->find(OwnNameOf::communicator, communicator);
  // If two communicators share a number, neither name is used alone.
  if (own.find(" or ") != std::string_view::npos) return own;
  const std::string_view given = own_names_->find(OwnNameOf::named_communicator, communicator);
  return given.empty() ? or_unknown(own) : given;
}

std::string_view NamesOfPlan::communicator_members(std::uint32_t communicator) const {
  return own_names_->find(OwnNameOf::communicator_members, communicator);
}

std::string_view NamesOfPlan::parent_of_job(std::uint32_t job) const {
  return own_names_->find(OwnNameOf::spawned_job, job);
}

std::string_view NamesOfPlan::site_name(std::uint32_t site) const {
  return own_names_->find(OwnNameOf::site, site);
}

void NamesOfPlan::learn(std::span<const OwnName> names) const { own_names_->learn(names); }

std::optional<SourceRef> NamesOfPlan::source_of(std::uint32_t path, std::uint16_t point) const {
  if (is_local_id(path)) return own_source(path, point);
  const PathIndex index(path);
  if (!plan_->paths.has(index)) return std::nullopt;
  for (const TraceIndex number : plan_->paths[index].traces) {
    const TracePlan& trace = plan_->traces[number];
    if (static_cast<std::uint16_t>(trace.point) != point) continue;
    return SourceRef{number.number32(), number_of_process(*plan_, trace.host)};
  }
  return std::nullopt;
}

// A path with a process-local number has one trace element, with the same number.
std::optional<SourceRef> NamesOfPlan::own_source(std::uint32_t path, std::uint16_t point) {
  if (point != 0) return std::nullopt;
  return SourceRef{path, process_of_local_id(path)};
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

std::shared_ptr<const PlanNames> NamesOfPlan::shared() const {
  auto same = std::make_shared<NamesOfPlan>(plan_);
  same->own_names_ = own_names_;
  return same;
}

}  // namespace eventspace
