#include "monitors/web/documents/parts.h"

namespace eventspace::web {
namespace {

Json names_of(const std::vector<std::string>& names) {
  Json all = Json::array();
  for (const std::string& name : names) all.add(name);
  return all;
}

Json row_of(const top::CollectiveSample& sample) {
  return Json::object({{"operation", sample.name},
                       {"number", sample.number},
                       {"per_second", sample.per_second ? Json(rounded(*sample.per_second)) : Json()},
                       {"count", sample.told},
                       {"incomplete", sample.not_whole},
                       {"last", names_of(sample.last)},
                       {"late_s", sample.by ? Json(static_cast<double>(sample.by->ns) / 1e9) : Json()},
                       {"waited_s", sample.waited_ns / 1e9},
                       {"costliest", sample.costliest.empty() ? Json() : Json(sample.costliest)},
                       {"cost_s", sample.cost_ns / 1e9},
                       {"absent", names_of(sample.absent)}});
}

}  // namespace

Json collective_part(const Looked& looked) {
  if (looked.plan->collectives.empty()) return no_part("the session has no pathmap with collectives");
  Json rows = Json::array();
  for (const top::CollectiveSample& sample : looked.state->collectives) rows.add(row_of(sample));
  return Json::object({{"rows", std::move(rows)}});
}

}  // namespace eventspace::web
