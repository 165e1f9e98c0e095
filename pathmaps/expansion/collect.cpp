#include <fmt/format.h>

#include <map>

#include "collectors/record_header.h"
#include "pathmaps/expansion/element_type.h"
#include "pathmaps/expansion/selection.h"
#include "pathmaps/expansion/steps.h"

namespace eventspace::expansion {

using reading::Mapping;

namespace {

constexpr std::array<std::pair<std::string_view, StampOrder>, 2> stamp_words{
    {{"plain", StampOrder::plain}, {"ordered", StampOrder::ordered}}};

class Collect {
 public:
  Collect(const Mapping& pathmap, Draft& draft)
      : draft_(draft),
        map_(pathmap.find("collect"), reading::collect_shape, draft.faults),
        collected_(draft.plan.paths.size()) {}

  void read() {
    draft_.plan.collect = map_.boolean("enabled").value_or(true);
    draft_.plan.stamps = map_.choice("stamps", stamp_words).value_or(StampOrder::plain);
    draft_.threshold = read_threshold(map_).value_or(draft_.threshold);
    for (const auto* row : map_.items("points")) read_row(*row);
    for (const PathIndex path : collected_.indices()) add_traces(path);
  }

 private:
  /// The event collectors of a path: the threshold at each point that has one, by number of the point. A row
  /// replaces what earlier rows say of the path, unless it adds its points to theirs.
  using Collected = std::map<CollectPoint, std::uint32_t>;

  void read_row(const reading::Value& value) {
    const Mapping row(&value, reading::point_shape, draft_.faults);
    Points points(row);
    const std::uint32_t threshold = read_threshold(row).value_or(draft_.threshold);
    const bool adds = row.boolean("add").value_or(false);
    for (const auto path : select_paths(read_selection(row), application(draft_), draft_)) {
      Collected& collected = collected_[path];
      if (!adds) collected.clear();
      add_points(points.on(path, draft_), threshold, collected);
    }
    points.check_used(draft_);
  }

  static void add_points(unsigned points, std::uint32_t threshold, Collected& collected) {
    for (std::size_t i = 0; i < point_names.size(); ++i) {
      const auto point = static_cast<CollectPoint>(i);
      if ((points & bit_of(point)) != 0) collected[point] = threshold;
    }
  }

  // The order is that of the path: the element is behind all stages.
  void add_traces(PathIndex path) {
    const Collected& collected = collected_[path];
    for (const auto& [point, threshold] : collected) {
      if (point != CollectPoint::element) add_trace(path, point, threshold);
    }
    const auto element = collected.find(CollectPoint::element);
    if (element != collected.end()) add_trace(path, CollectPoint::element, element->second);
  }

  void add_trace(PathIndex number, CollectPoint point, std::uint32_t threshold) {
    auto& path = draft_.plan.paths[number];
    // A thread operates on a shared element directly, so the last stage of the path is in the thread's
    // process.
    const bool at_thread = point != CollectPoint::element || draft_.plan.elements[path.element].is_shared();
    const auto host = at_thread ? draft_.thread_hosts[path.thread] : draft_.element_hosts[path.element];
    path.traces.push_back(draft_.plan.traces.end_index());
    draft_.plan.traces.push_back(
        {.name = fmt::format("{}/{}@{}", draft_.threads.name(path.thread), path.name, to_string(point)),
         .path = number,
         .point = point,
         .threshold = threshold,
         .host = host.value_or(Host{NodeIndex(0)})});
  }

  Draft& draft_;
  Mapping map_;
  IndexedVector<PathPlan, Collected> collected_;
};

}  // namespace

void read_collect(const Mapping& pathmap, Draft& draft) { Collect(pathmap, draft).read(); }

}  // namespace eventspace::expansion
