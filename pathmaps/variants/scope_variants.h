#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// A scope that yields the same view as another scope, but gathers it with another tree.
struct ScopeVariant {
  std::string words;  ///< a short description of the tree: "all > node (arity 4) > thread"
  std::string lines;  ///< the YAML below the scope's name in a pathmap's `scopes:`
  ScopeTree tree;
};

struct ScopeVariants {
  std::vector<ScopeVariant> variants;  ///< the scope itself first; all trees differ
  std::size_t left_out{0};             ///< at least this many variants beyond `most`
};

/// Returns variants of scope `name` of the pathmap `file`, whose plan is `plan`. A variant adds or removes
/// levels that only gather, or that apply the wrapper of the level above to partial views; or it changes the
/// arity, the way of asking or the place of such levels, or the batch. Sources and all other wrappers stay
/// the same.
///
/// Returns at most `most` variants, always the same ones. Reads the file again. Throws ConfigurationError if
/// the scope is unknown or has the key `tree`, or if the file has changed and has faults now.
ScopeVariants scope_variants(const std::filesystem::path& file, const Plan& plan, const std::string& name,
                             std::size_t most = 256);

/// Returns the tree of a scope that yields the newest event of each path that the glob `paths` matches. The
/// pathmap `file` need not have such a scope. The consumer pulls from each server, or, if `direct`, reads the
/// segments itself. Throws ConfigurationError if no such path has an event collector at its thread.
ScopeTree newest_events_of(const std::filesystem::path& file, const std::string& paths, bool direct);

/// Returns the tree of a scope that yields the unread events of all paths of the collectives of `plan`, the
/// plan of the pathmap `file`. The pathmap need not have such a scope. Where possible, the nodes already turn
/// the events into results (wrapper `collective`); with `records`, all events arrive unchanged. Throws
/// ConfigurationError if none of the paths has an event collector, or if the file, which is read again, has
/// another plan now.
ScopeTree events_of_collectives(const std::filesystem::path& file, const Plan& plan, bool records);

/// Returns the tree of a scope that yields the unread events of everything that the pathmap `file`, whose
/// plan is `plan`, records of the application: all points of all paths, the probes of its threads, and the
/// processes without a pathmap that joined the session. Each node's server gathers its events; with `direct`,
/// which needs all nodes to be on one host, the consumer reads the segments itself. The pathmap need not have
/// such a scope. Throws ConfigurationError if nothing is recorded, or if the file, which is read again, has
/// another plan now.
ScopeTree events_of_everything(const std::filesystem::path& file, const Plan& plan, bool direct);

/// Returns the text of one pathmap with the plan of `file` and all files that it includes. It does not name
/// shared objects: if `file` does under `wrappers:`, the text is also without scopes, which may use them, and
/// names the omitted scopes (Plan::scopes_left_out). Throws ConfigurationError if the file has faults, or if
/// the text would exceed the maximum size of a pathmap.
std::string whole_pathmap(const std::filesystem::path& file);

/// Returns the text of a pathmap that includes `file` and adds the scope `name`, with the YAML `lines`. The
/// caller stores it in `folder`: the path in its `include:` is relative to that.
std::string pathmap_with(const std::filesystem::path& file, const std::filesystem::path& folder,
                         const std::string& name, const std::string& lines);

}  // namespace eventspace
