#include "monitors/collectives/collective_scope.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include "monitors/cli/pathmap_input.h"
#include "pathmaps/variants/scope_variants.h"

namespace eventspace {

ScopeTree collective_scope(const std::filesystem::path& file, const Plan& plan, bool records) {
  if (plan.collectives.empty())
    throw ConfigurationError(fmt::format(
        "pathmap {} has no collectives; declare them under `application: collectives:`", plan.name));
  const ScopeTree* const found = plan.find_scope("collectives");
  if (found != nullptr && found->next && !records) return *found;
  require_file(file, "it has no suitable scope `collectives` and is read again to make one");
  return events_of_collectives(file, plan, records);
}

}  // namespace eventspace
