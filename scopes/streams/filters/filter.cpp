#include <eventspace/stream_filter.h>

#include <fmt/format.h>

#include <utility>

#include <eventspace/error.h>
#include <eventspace/streams.h>
#include "scopes/streams/filters/built_in.h"

namespace eventspace::streams {

Registry<FilterInfo>& FilterRegistry::instance() {
  static Registry<FilterInfo> registry(
      "filter of streams",
      {filters::minimum(), filters::maximum(), filters::sum(), filters::mean(), filters::count(),
       filters::concatenation(), filters::equivalence_classes(), filters::set_union(), filters::histogram(),
       filters::top_k(), filters::aligned(), filters::clock_skew()});
  return registry;
}

std::unique_ptr<Filter> make_filter(const FilterUse& use, FilterPlace place) {
  const FilterInfo* const info = FilterRegistry::instance().find(use.name);
  if (info == nullptr) throw ConfigurationError(FilterRegistry::instance().unknown("filter", use.name));
  return info->make(complete_parameters(info->parameters, use.parameters, "filter " + use.name),
                    std::move(place));
}

Registry<RuleInfo>& RuleRegistry::instance() {
  static Registry<RuleInfo> registry("rule of waves", {});
  return registry;
}

std::unique_ptr<WaveRule> make_rule(const FilterUse& use) {
  const RuleInfo* const info = RuleRegistry::instance().find(use.name);
  if (info == nullptr) throw ConfigurationError(RuleRegistry::instance().unknown("rule", use.name));
  return info->make(complete_parameters(info->parameters, use.parameters, "rule " + use.name));
}

}  // namespace eventspace::streams
