#include <map>
#include <string_view>

#include "monitors/web/documents/map_parts.h"

namespace eventspace::web {
namespace {

/// The paths with a rate, or with an operation under way, in columns.
class PathColumns {
 public:
  void add(const top::ThreadState& thread) {
    const top::PathState* previous = nullptr;
    for (const top::PathState& path : thread.paths) {
      // As in a thread's rate, each operation counts once, at the first collector of its path.
      const bool is_counted = previous != nullptr && previous->path == path.path;
      previous = &path;
      if (!is_counted && (path.rate.per_second || path.in_flight)) add(path);
    }
  }
  [[nodiscard]] Json columns() && {
    return Json::object({{"path", std::move(paths_)},
                         {"events", std::move(events_)},
                         {"per_second", std::move(rates_)},
                         {"bytes_per_second", std::move(bytes_)},
                         {"waits_s", std::move(waits_)}});
  }

 private:
  void add(const top::PathState& path) {
    const auto& rate = path.rate.per_second;
    paths_.add(path.path);
    events_.add(path.rate.events);
    rates_.add(rate ? Json(rounded(*rate)) : Json());
    const bool has_size = rate && path.last && path.last->is_operation();
    bytes_.add(has_size ? Json(rounded(*rate * path.last->bytes)) : Json());
    // A path on which operations end does not wait, however often one is seen in flight. Without any that has
    // ended, there is no rate.
    const bool waits = path.in_flight && (rate ? *rate == 0 : path.rate.events == 0);
    waits_.add(waits ? Json(seconds_of(path.in_flight_for)) : Json());
  }

  Json paths_{Json::array()}, events_{Json::array()}, rates_{Json::array()}, bytes_{Json::array()},
      waits_{Json::array()};
};

Json elements_of(const Plan& plan, const std::vector<ElementRow>& rows) {
  std::map<std::string_view, const ElementRow*> by_name;
  for (const ElementRow& row : rows) by_name.emplace(row.name, &row);
  Json elements = Json::array();
  Json kept = Json::array();
  Json capacity = Json::array();
  Json written = Json::array();
  Json taken = Json::array();
  Json why = Json::array();
  const auto rate_of = [](const std::optional<double>& rate) { return rate ? Json(rounded(*rate)) : Json(); };
  for (const ElementIndex element : plan.elements.indices()) {
    const auto found = by_name.find(plan.elements[element].name);
    if (found == by_name.end()) continue;
    const ElementRow& row = *found->second;
    elements.add(element.number());
    kept.add(row.state ? Json(row.state->kept) : Json());
    capacity.add(row.state ? Json(row.state->capacity) : Json());
    written.add(rate_of(row.written_rate));
    taken.add(rate_of(row.taken_rate));
    why.add(row.detail);
  }
  return Json::object({{"element", std::move(elements)},
                       {"kept", std::move(kept)},
                       {"capacity", std::move(capacity)},
                       {"written_per_second", std::move(written)},
                       {"taken_per_second", std::move(taken)},
                       {"unknown", std::move(why)}});
}

Json levels_of(const top::State& state) {
  Json names = Json::array();
  Json last = Json::array();
  Json mean = Json::array();
  Json longest = Json::array();
  for (const top::PartTime& part : state.parts) {
    names.add(part.name);
    last.add(seconds_of(part.last));
    mean.add(seconds_of(part.mean));
    longest.add(seconds_of(part.longest));
  }
  return Json::object({{"name", std::move(names)},
                       {"last_s", std::move(last)},
                       {"mean_s", std::move(mean)},
                       {"longest_s", std::move(longest)}});
}

}  // namespace

Json map_rates_part(const Looked& looked, const ScopeTree& watched, const std::vector<ElementRow>& elements) {
  PathColumns paths;
  for (const top::ThreadState& thread : looked.state->threads) paths.add(thread);
  return Json::object({{"scope", watched.scope},
                       {"paths", std::move(paths).columns()},
                       {"elements", elements_of(*looked.plan, elements)},
                       {"levels", levels_of(*looked.state)}});
}

}  // namespace eventspace::web
