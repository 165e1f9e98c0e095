#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "paths/views/view.h"
#include "scopes/reading/dynamic_processes.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// A process that a scope reads: its number, its name and its node. The plan has the names of its own
/// processes; a dynamic process brings them, and its only run.
class NamedProcess {
 public:
  /// `names` must outlive it.
  NamedProcess(std::uint32_t number, const PlanNames& names) : number_(number), names_(&names) {}
  NamedProcess(DynamicProcess process, const PlanNames& names)
      : number_(process.number), names_(&names), dynamic_(std::move(process)) {}

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] std::string_view name() const {
    return dynamic_ ? std::string_view(dynamic_->name) : names_->process_name(number_);
  }
  [[nodiscard]] std::string_view node() const {
    return dynamic_ ? std::string_view(dynamic_->node) : names_->node_of_process(number_);
  }
  /// Null for a process of the plan.
  [[nodiscard]] const DynamicProcess* dynamic() const noexcept { return dynamic_ ? &*dynamic_ : nullptr; }

  /// An entry of View::missing that names the process.
  [[nodiscard]] Missing missing(MissingCause cause, std::string detail, std::size_t sources) const {
    return {std::string(node()), "process " + std::string(name()), cause, std::move(detail),
            static_cast<std::uint32_t>(sources)};
  }

 private:
  std::uint32_t number_;
  const PlanNames* names_;
  std::optional<DynamicProcess> dynamic_;
};

}  // namespace eventspace
