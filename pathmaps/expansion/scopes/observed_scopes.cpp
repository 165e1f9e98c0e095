#include "pathmaps/expansion/scopes/observed_scopes.h"

#include <algorithm>

namespace eventspace::expansion {

ObservedScopes::ObservedScopes(const std::vector<Word>& scopes, const Draft& draft) {
  for (const ScopePartPlan& part : draft.plan.parts) {
    const auto named = std::ranges::find(scopes, part.scope, &Word::text);
    if (named == scopes.end()) continue;
    threads_.add({part.name, named->place}, draft.faults);
    paths_.push_back({part.answer, PathIndex(part.answer.number() + 1 + part.asks.size())});
  }
}

}  // namespace eventspace::expansion
