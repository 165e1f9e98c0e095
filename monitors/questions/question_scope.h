#pragma once

// Private to monitors/.

#include <filesystem>
#include <functional>
#include <string_view>

#include "monitors/questions/question.h"
#include "pathmaps/plan/plan.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Throws ConfigurationError, whose text begins with the option, for a question that no session can answer: a
/// malformed glob, or an expression with a fault, of which it gives the column and what was expected. Pure.
void check_question(const Question& question);

/// Whether an expression names this field. A word of a text in it counts too. Pure.
bool names_field(std::string_view text, std::string_view field);

/// Returns `scope` narrowed to the question: it reads no other trace elements than those of the threads and
/// paths that were asked for, drops other events right above the reads, so that a server sends no event that
/// was not asked for, and yields the last events, or numbers, if these were asked for. What the scope does
/// above its reads it does to these events. Pure.
///
/// Of each path that is recorded at several points, only the first is read, so that each operation counts
/// once, unless the question names `point` or `all_points` is true.
///
/// Throws ConfigurationError as check_question does; if no thread or path of `plan` matches, with near names;
/// if `scope` makes numbers, and the question asks for others or for events; or if it reads only the newest
/// event of each trace element and the question needs unread ones.
ScopeTree narrowed_scope(ScopeTree scope, const Plan& plan, const Question& question, bool all_points);

/// Which scope a monitor pulls through.
struct AskedScope {
  std::string name;      ///< of `--scope`, or the monitor's default
  bool is_given{false};  ///< whether the user gave `--scope`
  /// Whether the monitor needs the newest event of each trace element; false: the unread ones.
  bool newest{false};
  Question question{};
  /// Changes the scope at last, if it is of a session that runs; none: nothing.
  std::function<void(ScopeTree& scope)> finish{};
};
/// Returns the scope that the user named, or without a question the default one. A question without `--scope`
/// is asked of everything that the session records, through a scope made for it (events_of_everything). That
/// is also so if the pathmap has no scope of the default name. Throws ConfigurationError if the pathmap has
/// no scope of the given name, or records nothing.
ScopeTree base_scope(const std::filesystem::path& pathmap, const Plan& plan, const AskedScope& asked);
/// Returns the scope of everything that the session records, whatever scopes the pathmap has. That of the
/// name `asked.name`, if there is one, says whether it needs servers. Throws ConfigurationError if nothing is
/// recorded.
ScopeTree scope_of_everything(const std::filesystem::path& pathmap, const Plan& plan,
                              const AskedScope& asked);
/// Returns base_scope() narrowed to the question. Throws as the two functions do.
ScopeTree asked_scope(const std::filesystem::path& pathmap, const Plan& plan, const AskedScope& asked);

}  // namespace eventspace
