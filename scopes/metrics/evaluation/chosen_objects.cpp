#include "scopes/metrics/evaluation/chosen_objects.h"

#include "paths/parameters/glob.h"

namespace eventspace::metrics {

void choose_objects(const Definition& definition, const ObjectPatterns& patterns,
                    const ObservedObjects& objects, std::vector<Chosen>& chosen) {
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    const Base base = definition.parameters[i].type.base;
    if (!is_object_or_region(base)) continue;
    const auto glob = patterns.find(i);
    for (auto object = static_cast<std::uint32_t>(chosen[i].size()); object < objects.count(base); ++object)
      chosen[i].push_back(glob == patterns.end() || glob_match(glob->second, objects.name(base, object)));
  }
}

}  // namespace eventspace::metrics
