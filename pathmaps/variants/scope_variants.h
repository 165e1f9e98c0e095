#pragma once

// Private to pathmaps/.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// A scope that yields the same view as another one, by another tree.
struct ScopeVariant {
  std::string words;  ///< the tree in a few: "all > node (arity 4) > thread"
  std::string lines;  ///< what is below its name in a pathmap's `scopes:`
  ScopeTree tree;
};

struct ScopeVariants {
  std::vector<ScopeVariant> variants;  ///< the scope itself first; no two have the same tree
  std::size_t left_out{0};             ///< how many more there would have been, at least
};

/// The variants of scope `name` of the pathmap `file`, whose plan is `plan`: with levels put in that only
/// gather, or act on parts as the level above does on the whole; with such levels taken out; with other
/// arities, ways of asking, places of such levels, and batches. What is read, and every other wrapper, stays.
/// `most` of them at most, always the same ones. Throws ConfigurationError when there is no such scope, or it
/// is written out as a tree.
ScopeVariants scope_variants(const std::filesystem::path& file, const Plan& plan, const std::string& name,
                             std::size_t most = 256);

/// The tree of a scope that the pathmap `file` need not have: the newest event of each path that the glob
/// `paths` chooses, asked of the servers without a level between, or read by the consumer itself (`direct`).
/// Throws ConfigurationError when there is no such path with an event collector at its thread.
ScopeTree newest_events_of(const std::filesystem::path& file, const std::string& paths, bool direct);

/// The tree of a scope that the pathmap `file`, whose plan is `plan`, need not have: the unread events of all
/// paths of its collectives, made into results on their nodes where that can be (wrapper `collective`); or
/// with `records` all as they are. Throws ConfigurationError when no event collector is on any.
ScopeTree events_of_collectives(const std::filesystem::path& file, const Plan& plan, bool records);

/// A pathmap that includes `file` and has the scope `name` beside. `folder` is where it will lie.
std::string pathmap_with(const std::filesystem::path& file, const std::filesystem::path& folder,
                         const std::string& name, const std::string& lines);

}  // namespace eventspace
