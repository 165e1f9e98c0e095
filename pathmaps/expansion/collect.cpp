#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "collectors/record_header.h"
#include "pathmaps/expansion/element_type.h"
#include "pathmaps/expansion/selection.h"
#include "pathmaps/expansion/steps.h"
#include "pathmaps/reading/names.h"

namespace eventspace::expansion {

using reading::Mapping;
using namespace std::chrono_literals;

namespace {

constexpr std::array<std::pair<std::string_view, StampOrder>, 2> stamp_words{
    {{"plain", StampOrder::plain}, {"ordered", StampOrder::ordered}}};

constexpr std::size_t max_annexes = 16;

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
    const auto annexes = map_.entries("annexes");
    if (annexes.size() > max_annexes) {
      draft_.faults.add(
          map_.place("annexes"),
          fmt::format("found {} annexes; each is a file per process, and at most {} are allowed",
                      annexes.size(), max_annexes));
    }
    for (const auto& entry : annexes) read_annex({entry.key, entry.place}, *entry.value);
    for (const auto* row : map_.items("points")) read_row(*row);
    for (const PathIndex path : collected_.indices()) add_traces(path);
  }

 private:
  /// The settings of a trace element from the rows.
  struct Kept {
    std::uint32_t threshold{0};
    std::optional<AnnexIndex> annex;
  };
  /// The event collectors of a path, by their points. A row replaces the settings of earlier rows for the
  /// path, unless it adds its points to theirs.
  using Collected = std::map<CollectPoint, Kept>;

  void read_annex(const Word& name, const reading::Value& value) {
    const Mapping mapping(&value, reading::annex_shape, draft_.faults);
    AnnexPlan annex{name.text};
    annex.keep = mapping.duration("keep", {0s, 8760h});
    if (const auto directory = mapping.word("directory")) annex.directory = directory_of(*directory);
    if (mapping.find("keep") == nullptr && mapping.find("directory") == nullptr) {
      draft_.faults.add(name.place,
                        fmt::format("annex '{}' has neither 'directory' nor 'keep'; expected one of them: "
                                    "without both, its trace elements can be in the segment itself",
                                    name.text));
    }
    if (!check_name(name, reading::NameKind::simple, draft_.faults)) return;
    if (draft_.annexes.add(name, draft_.faults)) draft_.plan.annexes.push_back(std::move(annex));
  }

  std::filesystem::path directory_of(const Word& word) {
    std::filesystem::path directory(word.text);
    if (directory.is_absolute()) return directory.lexically_normal();
    draft_.faults.add(
        word.place,
        fmt::format(
            "found '{}' for 'directory'; expected an absolute path on the machine that records: trace "
            "elements on another node would make recording wait for the network",
            word.text));
    return {};
  }

  void read_row(const reading::Value& value) {
    const Mapping row(&value, reading::point_shape, draft_.faults);
    Points points(row);
    Kept kept{read_threshold(row).value_or(draft_.threshold), std::nullopt};
    if (const auto annex = row.word("in")) kept.annex = draft_.annexes.require(*annex, draft_.faults);
    const bool adds = row.boolean("add").value_or(false);
    for (const auto path : select_paths(read_selection(row), application(draft_), draft_)) {
      Collected& collected = collected_[path];
      if (!adds) collected.clear();
      add_points(points.on(path, draft_), kept, collected);
    }
    points.check_used(draft_);
  }

  static void add_points(unsigned points, const Kept& kept, Collected& collected) {
    for (std::size_t i = 0; i < point_names.size(); ++i) {
      const auto point = static_cast<CollectPoint>(i);
      if ((points & bit_of(point)) != 0) collected[point] = kept;
    }
  }

  // In path order: the element comes after all stages.
  void add_traces(PathIndex path) {
    const Collected& collected = collected_[path];
    for (const auto& [point, kept] : collected) {
      if (point != CollectPoint::element) add_trace(path, point, kept);
    }
    const auto element = collected.find(CollectPoint::element);
    if (element != collected.end()) add_trace(path, CollectPoint::element, element->second);
  }

  void add_trace(PathIndex number, CollectPoint point, const Kept& kept) {
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
         .threshold = kept.threshold,
         .host = host.value_or(Host{NodeIndex(0)}),
         .annex = kept.annex});
  }

  Draft& draft_;
  Mapping map_;
  IndexedVector<PathPlan, Collected> collected_;
};

}  // namespace

void read_collect(const Mapping& pathmap, Draft& draft) { Collect(pathmap, draft).read(); }

}  // namespace eventspace::expansion
