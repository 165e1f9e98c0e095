#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/expansion/scope_shapes.h"
#include "pathmaps/expansion/selection.h"
#include "pathmaps/expansion/steps.h"
#include "pathmaps/expansion/tree_growth.h"
#include "pathmaps/reading/names.h"

namespace eventspace::expansion {

using reading::Entry;
using reading::Mapping;
using namespace std::chrono_literals;

namespace {

constexpr auto default_timeout = 1s;
/// Unless a pull is bounded otherwise, half of what `limits: message` allows by default.
constexpr std::int64_t default_most = 500'000;

enum class Read : std::uint8_t { newest, next, since };
constexpr std::array<std::pair<std::string_view, Read>, 3> read_words{
    {{"newest", Read::newest}, {"next", Read::next}, {"since", Read::since}}};

bool runs_on_a_server(const WrittenNode& node) {
  return node.at || std::ranges::any_of(node.children, runs_on_a_server);
}

bool runs_on_servers(const ScopeOutline& outline) {
  return (outline.tree && runs_on_a_server(*outline.tree)) ||
         std::ranges::any_of(outline.levels,
                             [](const ScopeLevel& level) { return level.site != Site::consumer; });
}

class ScopeReader {
 public:
  ScopeReader(const Entry& entry, Draft& draft)
      : draft_(draft),
        name_{entry.key, entry.place},
        scope_(entry.value, reading::scope_shape, draft.faults) {}

  ScopeOutline read() {
    ScopeOutline outline;
    outline.name = name_.text;
    check_name(name_, reading::NameKind::simple, draft_.faults);
    draft_.scopes.add(name_, draft_.faults);
    read_mode(outline);
    if (const auto batch = scope_.integer("batch", {1, 1'000'000}))
      outline.batch = static_cast<std::uint32_t>(*batch);
    outline.timeout = scope_.duration("timeout", {1ms, 1h}).value_or(default_timeout);
    outline.direct = scope_.boolean("direct").value_or(false);
    outline.traces = read_traces();
    read_form(outline);
    outline.most = read_most(outline.traces.size());
    for (const auto& level : outline.levels) check_clusters(level, outline.traces);
    if (outline.direct) check_direct(outline);
    return outline;
  }

 private:
  /// The tree in one of three forms.
  void read_form(ScopeOutline& outline) {
    const bool levels = scope_.find("levels") != nullptr;
    const bool shape = scope_.find("shape") != nullptr;
    const bool tree = scope_.find("tree") != nullptr;
    const int forms = int{levels} + int{shape} + int{tree};
    if (forms != 1)
      draft_.faults.add(scope_.place(), fmt::format("found {} of 'levels', 'shape' and 'tree' in scope; "
                                                    "expected one of them",
                                                    forms == 0 ? "none" : "several"));
    if (scope_.find("wrapper") != nullptr && !shape)
      draft_.faults.add(
          scope_.place("wrapper"),
          "'wrapper' of a scope goes with 'shape'; levels and the nodes of a tree have their own");
    if (levels) outline.levels = read_levels(scope_, outline.timeout, draft_);
    if (shape) outline.levels = read_shape(scope_, draft_);
    if (tree) outline.tree = read_tree(scope_, name_, outline.traces, outline.timeout, draft_);
  }

  void read_mode(ScopeOutline& outline) {
    const auto read = scope_.choice("read", read_words).value_or(Read::newest);
    outline.next = read != Read::newest;
    outline.since = scope_.duration("since", {0ns, 8760h});
    const bool given = scope_.find("since") != nullptr;
    if (read == Read::since && !given)
      draft_.faults.add(scope_.place("read"),
                        "'read: since' does not say since when; expected 'since: DURATION', "
                        "how far before the first pull to begin");
    if (read != Read::since && given)
      draft_.faults.add(scope_.place("since"), "'since' goes with 'read: since' only");
  }

  std::uint64_t read_most(std::size_t sources) {
    const auto given = scope_.integer("most", {1, 1'000'000'000});
    const auto needed = static_cast<std::int64_t>(sources);
    if (given && *given < needed)
      draft_.faults.add(
          scope_.place("most"),
          fmt::format("found '{}' for 'most'; scope '{}' reads {} trace elements, and needs at least one "
                      "record of a pull for each",
                      *given, name_.text, sources));
    return static_cast<std::uint64_t>(given.value_or(std::max(default_most, needed)));
  }

  std::vector<std::size_t> read_traces() {
    const bool had_faults = draft_.faults.any();
    auto traces = select_traces(scope_, bit_of(CollectPoint::thread), draft_);
    for (const auto* item : scope_.items("except")) {
      const Mapping exception(item, reading::exception_shape, draft_.faults);
      const auto out = select_traces(exception, both_points, draft_);
      std::erase_if(traces, [&](std::size_t trace) { return std::ranges::binary_search(out, trace); });
    }
    if (traces.empty() && !had_faults && !draft_.faults.any())
      draft_.faults.add(
          name_.place,
          fmt::format("scope '{}' chooses no trace elements; collect: points: must have some there",
                      name_.text));
    return traces;
  }

  void check_clusters(const ScopeLevel& level, const std::vector<std::size_t>& traces) {
    const auto& plan = draft_.plan;
    if (level.group != Group::cluster || plan.nodes.empty()) return;
    for (const auto trace : traces) {
      const auto& node = plan.nodes[plan.traces[trace].node];
      if (!node.cluster)
        draft_.faults.add(level.place, fmt::format("node '{}' is in no cluster, but scope '{}' reads from it",
                                                   node.name, name_.text));
      else if (level.site == Site::gateway && !plan.clusters[*node.cluster].gateway)
        draft_.faults.add(level.place,
                          fmt::format("cluster '{}' has no gateway; expected one, or another place for 'on'",
                                      plan.clusters[*node.cluster].name));
    }
  }

  void check_direct(const ScopeOutline& outline) {
    const auto& plan = draft_.plan;
    if (runs_on_servers(outline))
      draft_.faults.add(scope_.place("direct"),
                        "with 'direct: true' every level and node of a tree runs on: consumer");
    if (outline.traces.empty() || plan.nodes.empty()) return;
    const auto& host = plan.nodes[plan.traces[outline.traces.front()].node].host;
    const bool one_host = std::ranges::all_of(
        outline.traces, [&](std::size_t trace) { return plan.nodes[plan.traces[trace].node].host == host; });
    if (!one_host)
      draft_.faults.add(scope_.place("direct"),
                        "with 'direct: true' all trace elements are on one host, the consumer's");
  }

  Draft& draft_;
  Word name_;
  Mapping scope_;
};

}  // namespace

void read_scopes(const Mapping& pathmap, Draft& draft) {
  std::vector<ScopeOutline> outlines;
  for (const auto& entry : pathmap.entries("scopes")) outlines.push_back(ScopeReader(entry, draft).read());
  if (draft.faults.any()) return;
  for (const auto& outline : outlines)
    draft.plan.scopes.push_back(grow_tree(draft.plan, outline, draft.faults));
}

}  // namespace eventspace::expansion
