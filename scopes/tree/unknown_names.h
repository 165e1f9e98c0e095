#pragma once

#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Names without a plan, for wrappers and expressions that are made only to check their parameters.
class UnknownNames final : public PlanNames {
 public:
  [[nodiscard]] std::string_view thread_name(std::uint32_t /*thread*/) const override { return "?"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t /*path*/) const override { return "?"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t /*process*/) const override { return "?"; }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t /*process*/) const override { return "?"; }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t /*path*/,
                                                   std::uint16_t /*point*/) const override {
    return std::nullopt;
  }
};

}  // namespace eventspace
