#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "scopes/tree/local_ids.h"
#include "scopes/tree/name_table.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Conversions between the numbers in records and reports, and the names in a plan. Monitors use them to
/// print records. Plain numbers come from outside and may be unknown; indexes must belong to the plan. All
/// functions are thread-safe and never block.

/// Returns the process number of the tuple server of `node` in records and reports. Servers are numbered
/// after the processes of the application, in the order of the nodes.
std::uint32_t number_of_node_server(const Plan& plan, NodeIndex node) noexcept;
/// Returns the process name of the server of `node`: "server@NODE".
std::string name_of_node_server(const Plan& plan, NodeIndex node);

/// Returns the number of `host` in records and reports: its index for a process, otherwise
/// number_of_node_server.
std::uint32_t number_of_process(const Plan& plan, const Host& host) noexcept;
/// Returns the numbers that readers on `node` give to dynamic processes. They follow the numbers of all
/// processes and servers of the plan, which are the same for all readers.
ProcessRange dynamic_numbers(const Plan& plan, NodeIndex node) noexcept;
/// Returns the node of the reader of a dynamic process; nullopt if the number is not of such a process.
std::optional<NodeIndex> node_of_dynamic(const Plan& plan, std::uint32_t process) noexcept;
/// Returns the process number of a thread, whose number may be process-local (scopes/tree/local_ids.h).
/// Returns nullopt for an invalid number.
std::optional<std::uint32_t> process_of_thread(const Plan& plan, std::uint32_t thread) noexcept;
/// Inverse of number_of_process. Returns nullopt for an unknown number.
std::optional<Host> host_of_number(const Plan& plan, std::uint32_t process) noexcept;

/// PlanNames (scopes/tree/plan_names.h) of a plan. Shares ownership of the plan, so the returned views are
/// valid as long as this object. The name for an unknown number is "?". Thread-safe.
class NamesOfPlan final : public PlanNames {
 public:
  explicit NamesOfPlan(std::shared_ptr<const Plan> plan);
  [[nodiscard]] std::string_view thread_name(std::uint32_t thread) const override;
  [[nodiscard]] std::string_view path_name(std::uint32_t path) const override;
  [[nodiscard]] std::string_view process_name(std::uint32_t process) const override;
  [[nodiscard]] std::string_view node_of_process(std::uint32_t process) const override;
  [[nodiscard]] std::string_view cluster_of_process(std::uint32_t process) const override;
  [[nodiscard]] std::optional<JobMember> member_of_process(std::uint32_t process) const override;
  [[nodiscard]] std::string_view probe_name(std::uint32_t probe) const override;
  [[nodiscard]] std::string_view probe_values(std::uint32_t probe) const override;
  [[nodiscard]] std::string_view communicator_name(std::uint32_t communicator) const override;
  [[nodiscard]] std::string_view communicator_members(std::uint32_t communicator) const override;
  [[nodiscard]] std::string_view parent_of_job(std::uint32_t job) const override;
  [[nodiscard]] std::string_view site_name(std::uint32_t site) const override;
  void learn(std::span<const OwnName> names) const override;
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t point) const override;
  [[nodiscard]] std::vector<CollectivePath> collective_paths() const override;
  [[nodiscard]] std::shared_ptr<const PlanNames> shared() const override;

 private:
  [[nodiscard]] static std::optional<SourceRef> own_source(std::uint32_t path, std::uint16_t point);

  std::shared_ptr<const Plan> plan_;
  IndexedVector<NodePlan, std::string> servers_;
  std::shared_ptr<NameTable> own_names_;  // shared with the result of shared()
};

}  // namespace eventspace
