#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The number that records and reports have for the server of `node`: servers are numbered after the
/// processes, in the order of the nodes.
std::uint32_t number_of_node_server(const Plan& plan, NodeIndex node) noexcept;
/// The name of the server of `node` wherever processes are named: "server@NODE".
std::string name_of_node_server(const Plan& plan, NodeIndex node);

/// The number that records and reports have for `host`: a process by its index, a server as above.
std::uint32_t number_of_process(const Plan& plan, const Host& host) noexcept;
/// The host with this number; nothing for an unknown number.
std::optional<Host> host_of_number(const Plan& plan, std::uint32_t process) noexcept;

/// The names for a plan's numbers. Keeps the plan alive. Thread-safe.
class NamesOfPlan final : public PlanNames {
 public:
  explicit NamesOfPlan(std::shared_ptr<const Plan> plan);
  [[nodiscard]] std::string_view thread_name(std::uint32_t thread) const override;
  [[nodiscard]] std::string_view path_name(std::uint32_t path) const override;
  [[nodiscard]] std::string_view process_name(std::uint32_t process) const override;
  [[nodiscard]] std::string_view node_of_process(std::uint32_t process) const override;
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t point) const override;
  [[nodiscard]] std::vector<CollectivePath> collective_paths() const override;
  [[nodiscard]] std::shared_ptr<const PlanNames> shared() const override;

 private:
  std::shared_ptr<const Plan> plan_;
  IndexedVector<NodePlan, std::string> servers_;
};

}  // namespace eventspace
