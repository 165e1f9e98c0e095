#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Node servers record too: they are numbered after the processes, in the order of the nodes.
std::uint32_t number_of_node_server(const Plan& plan, std::size_t node) noexcept;
/// How the server of a node is called where processes are named: "server@NODE".
std::string name_of_node_server(const Plan& plan, std::size_t node);

/// Which process `thread` is in, or which server of a node, by the numbers above: where its paths begin.
std::uint32_t number_of_process(const Plan& plan, const ThreadPlan& thread) noexcept;
/// The node of that.
std::size_t node_of(const Plan& plan, const ThreadPlan& thread) noexcept;

/// The names behind a plan's numbers. Keeps the plan alive.
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
  std::vector<std::string> servers_;
};

}  // namespace eventspace
