#include "scopes/wrappers/scope_wrappers.h"

#include "scopes/wrappers/aggregate_wrapper.h"
#include "scopes/wrappers/collective_wrapper.h"
#include "scopes/wrappers/convert.h"
#include "scopes/wrappers/filter.h"
#include "scopes/wrappers/reduce.h"
#include "scopes/wrappers/sort.h"

namespace eventspace {
namespace {

class GatherOperator final : public ViewOperator {
 public:
  void apply(View& /*view*/) override {}  // CombineStage has appended the children's views already
  [[nodiscard]] bool acts_on_records() const noexcept override { return false; }
};

ScopeWrapperInfo gather_wrapper() {
  return {"gather",
          "joins the views of its children",
          true,
          {},
          [](const Parameters&, const PlanNames&) { return std::make_unique<GatherOperator>(); },
          as_given};
}

}  // namespace

ScopeWrapperRegistry::ScopeWrapperRegistry()
    : Registry("scope wrapper", {gather_wrapper(), merge_wrapper(), reduce_wrapper(), aggregate_wrapper(),
                                 filter_wrapper(), sort_wrapper(), convert_wrapper(), collective_wrapper()}) {
}

ScopeWrapperRegistry& ScopeWrapperRegistry::instance() {
  static ScopeWrapperRegistry registry;
  return registry;
}

const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept {
  return ScopeWrapperRegistry::instance().find(name);
}

const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept {
  const ScopeWrapperInfo* const found = registry::find_named(more, name);
  return found != nullptr ? found : find_scope_wrapper(name);
}

Parameters as_given(Parameters given) { return given; }

}  // namespace eventspace
