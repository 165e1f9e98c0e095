#include <fmt/format.h>

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
  /// The event collectors of a path. If several rows select the path, the last one decides.
  struct Collected {
    unsigned points{0};
    std::uint32_t threshold{0};
  };

  void read_row(const reading::Value& value) {
    const Mapping row(&value, reading::point_shape, draft_.faults);
    const Collected collected{read_points(row).value_or(0), read_threshold(row).value_or(draft_.threshold)};
    for (const auto path : select_paths(read_selection(row), application(draft_), draft_))
      collected_[path] = collected;
  }

  void add_traces(PathIndex path) {
    for (const auto point : {CollectPoint::thread, CollectPoint::element}) {
      if ((collected_[path].points & bit_of(point)) != 0) add_trace(path, point);
    }
  }

  void add_trace(PathIndex number, CollectPoint point) {
    auto& path = draft_.plan.paths[number];
    // A thread operates on a shared element directly, so the last stage of the path is in the thread's
    // process.
    const bool at_thread = point == CollectPoint::thread || draft_.plan.elements[path.element].is_shared();
    const auto host = at_thread ? draft_.thread_hosts[path.thread] : draft_.element_hosts[path.element];
    path.traces.push_back(draft_.plan.traces.end_index());
    draft_.plan.traces.push_back(
        {.name = fmt::format("{}/{}@{}", draft_.threads.name(path.thread), path.name, to_string(point)),
         .path = number,
         .point = point,
         .threshold = collected_[number].threshold,
         .host = host.value_or(Host{NodeIndex(0)})});
  }

  Draft& draft_;
  Mapping map_;
  IndexedVector<PathPlan, Collected> collected_;
};

}  // namespace

void read_collect(const Mapping& pathmap, Draft& draft) { Collect(pathmap, draft).read(); }

}  // namespace eventspace::expansion
