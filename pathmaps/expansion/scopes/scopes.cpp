#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "pathmaps/expansion/element_type.h"
#include "pathmaps/expansion/scopes/observed_scopes.h"
#include "pathmaps/expansion/scopes/scope_parts.h"
#include "pathmaps/expansion/scopes/scope_shapes.h"
#include "pathmaps/expansion/scopes/tree_growth.h"
#include "pathmaps/expansion/selection.h"
#include "pathmaps/expansion/steps.h"
#include "pathmaps/reading/names.h"

namespace eventspace::expansion {

using reading::Entry;
using reading::Mapping;
using namespace std::chrono_literals;

namespace {

constexpr auto default_timeout = 1s;
// The default bound on the records of one pull. Their size is half of the default of `limits: message`.
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

  /// Returns the names of the scopes under `of:`, if given.
  [[nodiscard]] std::optional<std::vector<Word>> observed() const { return scope_.words_if_given("of"); }

  /// REQUIRES: the parts of the observed scopes are in the plan.
  ScopeOutline read() {
    ScopeOutline outline;
    outline.name = name_.text;
    check_name(name_, reading::NameKind::simple, draft_.faults);
    read_mode(outline);
    if (const auto batch = scope_.integer("batch", {1, 1'000'000}))
      outline.batch = static_cast<std::uint32_t>(*batch);
    outline.timeout = scope_.duration("timeout", {1ms, 1h}).value_or(default_timeout);
    outline.direct = scope_.boolean("direct").value_or(false);
    outline.probes = scope_.boolean("probes").value_or(false);
    outline.dynamic = scope_.boolean("unplanned").value_or(false);
    const auto of = observed();
    if (of) observed_.emplace(*of, draft_);
    outline.traces = read_traces();
    read_form(outline);
    outline.own_paths = read_own_paths(outline.direct);
    check_consumer(outline);
    outline.most = read_most(outline.traces.size());
    for (const auto& level : outline.levels) check_clusters(level, outline.traces);
    if (outline.direct) check_direct(outline);
    return outline;
  }

 private:
  /// Reads the tree from `levels`, `shape` or `tree`; exactly one of them must be given.
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
          "'wrapper' of a scope needs 'shape'; levels and the nodes of a tree have their own wrappers");
    if (levels) outline.levels = read_levels(scope_, outline.timeout, draft_);
    if (shape) outline.levels = read_shape(scope_, draft_);
    if (tree) outline.tree = read_tree(scope_, name_, outline.traces, outline.timeout, ground(), draft_);
  }

  void read_mode(ScopeOutline& outline) {
    const auto read = scope_.choice("read", read_words).value_or(Read::newest);
    outline.next = read != Read::newest;
    outline.since = scope_.duration("since", {0ns, 8760h});
    const bool given = scope_.find("since") != nullptr;
    if (read == Read::since && !given)
      draft_.faults.add(
          scope_.place("read"),
          "'read: since' needs 'since: DURATION', the time before the first pull at which reading begins");
    if (read != Read::since && given) draft_.faults.add(scope_.place("since"), "'since' needs 'read: since'");
  }

  std::uint64_t read_most(std::size_t sources) {
    const auto given = scope_.integer("most", {1, 1'000'000'000});
    const auto needed = static_cast<std::int64_t>(sources);
    if (given && *given < needed)
      draft_.faults.add(scope_.place("most"),
                        fmt::format("found '{}' for 'most'; scope '{}' reads {} trace elements, and a pull "
                                    "needs at least one record of each",
                                    *given, name_.text, sources));
    return static_cast<std::uint64_t>(given.value_or(std::max(default_most, needed)));
  }

  /// Returns the set from which the globs of the scope select.
  [[nodiscard]] Ground ground() const { return observed_ ? observed_->ground() : application(draft_); }

  Traces read_traces() {
    const bool had_faults = draft_.faults.any();
    if (observed_ && had_faults) return {};  // parts may be missing due to those faults
    const unsigned usual = observed_ ? ends_of_path : bit_of(CollectPoint::thread);
    auto traces = select_traces(scope_, usual, ground(), draft_);
    for (const auto* item : scope_.items("except")) {
      const Mapping exception(item, reading::exception_shape, draft_.faults);
      const auto out = select_traces(exception, all_points, ground(), draft_);
      std::erase_if(traces, [&](TraceIndex trace) { return std::ranges::binary_search(out, trace); });
    }
    if (traces.empty() && !had_faults && !draft_.faults.any())
      draft_.faults.add(
          name_.place,
          fmt::format("scope '{}' selects no trace elements; add some there with collect: points:",
                      name_.text));
    return traces;
  }

  std::optional<OwnPathsOutline> read_own_paths(bool direct) {
    const auto* const value = scope_.find("collect");
    if (value == nullptr) return std::nullopt;
    const Mapping collect(value, reading::own_paths_shape, draft_.faults);
    OwnPathsOutline own_paths;
    const Points points(collect);
    own_paths.points = points.are_given() ? points.ends() : ends_of_path;
    for (const Word& word : points.between())
      draft_.faults.add(word.place, fmt::format("found '{}' for 'at'; the paths of a scope have no stages: "
                                                "expected thread, element or both",
                                                word.text));
    own_paths.threshold = read_threshold(collect).value_or(draft_.threshold);
    own_paths.consumer = collect.boolean("consumer").value_or(false);
    own_paths.place = scope_.place("collect");
    if (direct && !own_paths.consumer)
      draft_.faults.add(own_paths.place,
                        "with 'direct: true' no server runs a part of the scope; expected 'consumer: true', "
                        "which collects the pulls of the consumer");
    if (direct) own_paths.points = 0;
    return own_paths;
  }

  // Consumers record as dynamic processes, which the scope would read again.
  void check_consumer(const ScopeOutline& outline) {
    if (outline.dynamic && outline.own_paths && outline.own_paths->consumer)
      draft_.faults.add(outline.own_paths->place,
                        "with 'unplanned: true' and 'consumer: true' the scope would observe itself, and its "
                        "own pulls would be new events; expected one of them");
  }

  void check_clusters(const ScopeLevel& level, const Traces& traces) {
    const auto& plan = draft_.plan;
    if (level.group != Group::cluster || plan.nodes.empty()) return;
    for (const auto trace : traces) {
      const auto& node = plan.nodes[plan.node_of(plan.traces[trace].host)];
      if (!node.cluster)
        draft_.faults.add(
            level.place, fmt::format("node '{}' is not in a cluster, but scope '{}' reads from it", node.name,
                                     name_.text));
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
                        "with 'direct: true' every level and tree node must run 'on: consumer'");
    if (outline.traces.empty() || plan.nodes.empty()) return;
    const auto machine_of = [&](TraceIndex trace) -> const std::string& {
      return plan.nodes[plan.node_of(plan.traces[trace].host)].host;
    };
    const bool one_host = std::ranges::all_of(outline.traces, [&](TraceIndex trace) {
      return machine_of(trace) == machine_of(outline.traces.front());
    });
    if (!one_host)
      draft_.faults.add(scope_.place("direct"),
                        "with 'direct: true' all trace elements must be on the host of the consumer");
  }

  Draft& draft_;
  Word name_;
  Mapping scope_;
  std::optional<ObservedScopes> observed_;
};

// Reads all scopes. A scope is read after the scopes that it observes, because it needs their parts in the
// plan.
class ScopesReader {
 public:
  ScopesReader(std::span<const Entry> entries, Draft& draft)
      : draft_(draft), entries_(entries), scopes_(entries.size()) {}

  void read() {
    for (const Entry& entry : entries_) draft_.scopes.add({entry.key, entry.place}, draft_.faults);
    // The document is without duplicate keys, so the number of a scope equals the position of its entry.
    for (std::size_t i = 0; i < entries_.size(); ++i) read(i, 0);
    if (draft_.faults.any() || has_unloaded_wrappers()) return;
    for (Scope& scope : scopes_) {
      draft_.plan.scopes.push_back(scope.tree ? std::move(*scope.tree)
                                              : grow_tree(draft_.plan, scope.outline, draft_.faults));
    }
  }

 private:
  static constexpr int max_deep = 16;

  // Their parameters and abilities are unknown, so trees with them cannot be made.
  [[nodiscard]] bool has_unloaded_wrappers() const noexcept {
    return !draft_.unusable_wrappers.empty() && !draft_.faults.any();
  }

  struct Scope {
    enum class State : std::uint8_t { unread, under_way, read } state{State::unread};
    ScopeOutline outline;
    std::optional<ScopeTree> tree;  ///< set early for a scope with `collect:`, to plan its parts
  };

  /// `depth` is the length of the chain of scopes that observe this one.
  void read(std::size_t number, int depth) {
    Scope& scope = scopes_[number];
    if (scope.state == Scope::State::read) return;
    scope.state = Scope::State::under_way;
    ScopeReader reader(entries_[number], draft_);
    if (const auto observed = reader.observed()) {
      for (const Word& name : *observed) read_observed(name, depth + 1);
    }
    scope.state = Scope::State::read;
    // The parts that it observes are not in the plan.
    if (has_unloaded_wrappers() && reader.observed()) return;
    scope.outline = reader.read();
    if (!scope.outline.own_paths || draft_.faults.any() || has_unloaded_wrappers()) return;
    scope.tree = grow_tree(draft_.plan, scope.outline, draft_.faults);
    plan_parts(*scope.tree, *scope.outline.own_paths, draft_);
  }

  void read_observed(const Word& name, int depth) {
    const auto number = draft_.scopes.require(name, draft_.faults);
    if (!number) return;
    Scope& observed = scopes_[*number];
    if (observed.state == Scope::State::under_way)
      return draft_.faults.add(
          name.place,
          fmt::format("scope '{}' would observe itself, and its own pulls would be new events; a scope can "
                      "observe only other scopes",
                      name.text));
    if (depth > max_deep)
      return draft_.faults.add(name.place,
                               fmt::format("more than {} scopes observe each other in a chain", max_deep));
    read(*number, depth);
    if (!observed.outline.own_paths || observed.outline.own_paths->points == 0)
      draft_.faults.add(
          name.place,
          fmt::format("the paths of scope '{}' on servers are not recorded; it needs 'collect'", name.text));
  }

  Draft& draft_;
  std::span<const Entry> entries_;
  std::vector<Scope> scopes_;
};

}  // namespace

void read_scopes(const Mapping& pathmap, Draft& draft) {
  ScopesReader(pathmap.entries("scopes"), draft).read();
}

}  // namespace eventspace::expansion
