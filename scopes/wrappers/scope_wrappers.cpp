#include "scopes/wrappers/scope_wrappers.h"

#include <fmt/format.h>

#include <algorithm>

#include "scopes/wrappers/aggregate_wrapper.h"
#include "scopes/wrappers/collective_wrapper.h"
#include "scopes/wrappers/convert.h"
#include "scopes/wrappers/filter.h"
#include "scopes/wrappers/reduce.h"
#include "scopes/wrappers/sort.h"
#include "tuplespace/system/error.h"

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

std::vector<ScopeWrapperInfo>& registry() {
  static std::vector<ScopeWrapperInfo> wrappers{gather_wrapper(),    merge_wrapper(),     reduce_wrapper(),
                                                aggregate_wrapper(), filter_wrapper(),    sort_wrapper(),
                                                convert_wrapper(),   collective_wrapper()};
  return wrappers;
}

const ScopeWrapperInfo* find_named(std::string_view name, const std::vector<ScopeWrapperInfo>& wrappers) {
  const auto found = std::find_if(wrappers.begin(), wrappers.end(),
                                  [name](const ScopeWrapperInfo& info) { return info.name == name; });
  return found == wrappers.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<ScopeWrapperInfo>& scope_wrappers() { return registry(); }

const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept {
  return find_named(name, registry());
}

const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept {
  const ScopeWrapperInfo* const found = find_named(name, more);
  return found != nullptr ? found : find_scope_wrapper(name);
}

Parameters as_given(Parameters given) { return given; }

void add_scope_wrapper(ScopeWrapperInfo info) {
  if (find_scope_wrapper(info.name) != nullptr) {
    throw ConfigurationError(fmt::format("a scope wrapper named '{}' is already registered", info.name));
  }
  registry().push_back(std::move(info));
}

}  // namespace eventspace
