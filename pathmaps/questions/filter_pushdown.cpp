#include "pathmaps/questions/filter_pushdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"

namespace eventspace {
namespace {

using Traces = std::set<std::uint32_t>;

void collect_sources(const ScopeNode& node, Traces& traces) {
  for (const SourceRef& source : node.sources) traces.insert(source.trace);
  for (const ScopeNode& child : node.children) collect_sources(child, traces);
}

bool matches(const std::string& glob, std::string_view name) {
  return glob.empty() || glob_match(glob, name);
}

// Selects from the paths that a scope reads.
class Chooser {
 public:
  Chooser(const Plan& plan, const SourceChoice& choice, const Traces& read, const std::string& scope)
      : plan_(plan), choice_(choice), read_(read), scope_(scope) {
    for (const std::uint32_t trace : read) {
      const PathIndex path = plan.traces[TraceIndex(trace)].path;
      if (paths_.empty() || paths_.back() != path) paths_.push_back(path);
    }
  }

  Traces choose() {
    keep("threads", "thread", choice_.threads,
         [&](PathIndex path) { return std::string_view(plan_.threads[plan_.paths[path].thread].name); });
    keep("paths", "path", choice_.paths,
         [&](PathIndex path) { return std::string_view(plan_.paths[path].name); });
    Traces chosen;
    for (const PathIndex path : paths_) add_points(path, chosen);
    return chosen;
  }

 private:
  template <class NameOf>
  void keep(std::string_view option, std::string_view noun, const std::string& glob, const NameOf& name_of) {
    std::vector<PathIndex> kept;
    std::ranges::copy_if(paths_, std::back_inserter(kept),
                         [&](PathIndex path) { return matches(glob, name_of(path)); });
    if (kept.empty() && !paths_.empty()) refuse(option, noun, glob, name_of);
    paths_ = std::move(kept);
  }

  template <class NameOf>
  [[noreturn]] void refuse(std::string_view option, std::string_view noun, const std::string& glob,
                           const NameOf& name_of) const {
    constexpr std::size_t most = 8;
    std::vector<std::string_view> known;
    for (const PathIndex path : paths_) {
      if (std::ranges::find(known, name_of(path)) == known.end()) known.push_back(name_of(path));
    }
    throw ConfigurationError(fmt::format("{}{} '{}' matches no {} of scope '{}'{}", choice_.option_prefix,
                                         option, glob, noun, scope_, hint(glob, known, most)));
  }

  void add_points(PathIndex path, Traces& chosen) const {
    for (const TraceIndex trace : plan_.paths[path].traces) {
      if (!read_.contains(trace.number32())) continue;
      chosen.insert(trace.number32());
      if (!choice_.all_points) return;
    }
  }

  const Plan& plan_;
  const SourceChoice& choice_;
  const Traces& read_;
  const std::string& scope_;
  std::vector<PathIndex> paths_;  // ascending, because traces are sorted by path
};

bool reads_nothing(const ScopeNode& node) {
  return node.sources.empty() && node.children.empty() && node.dynamic.count == 0;
}

void prune(ScopeNode& node, const Traces& kept) {
  std::erase_if(node.sources, [&](const SourceRef& source) { return !kept.contains(source.trace); });
  for (ScopeNode& child : node.children) prune(child, kept);
  std::erase_if(node.children, reads_nothing);
  node.ask_path.reset();
  node.answer_path.reset();
}

bool is_read_here(const ScopeNode& node) { return node.wrapper == "read" && node.endpoint.empty(); }

bool only_joins_reads(const ScopeNode& node) {
  return (node.wrapper == "gather" || node.wrapper == "merge") &&
         std::ranges::all_of(node.children, is_read_here);
}

}  // namespace

void keep_sources(ScopeTree& scope, const Plan& plan, const SourceChoice& choice) {
  Traces read;
  collect_sources(scope.root, read);
  prune(scope.root, Chooser(plan, choice, read, scope.scope).choose());
  scope.consumer_pulls = 0;
}

void put_above_reads(ScopeNode& node, std::span<const Wrapping> wrappings) {
  if (node.wrapper != "read" && !only_joins_reads(node)) {
    for (ScopeNode& child : node.children) put_above_reads(child, wrappings);
    return;
  }
  for (const Wrapping& wrapping : wrappings) put_above(node, wrapping);
}

}  // namespace eventspace
