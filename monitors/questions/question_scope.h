#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "monitors/questions/question.h"
#include "pathmaps/plan/plan.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// Throws ConfigurationError, whose text begins with the option, for a question that is invalid in every
/// session: a malformed glob, or a faulty expression; the text then has the column and the expected input.
/// Pure.
void check_question(const Question& question);

/// Whether an expression contains the name of this field. A word within a text counts, too. Pure.
bool names_field(std::string_view text, std::string_view field);

/// Returns `scope` with the question pushed down: it reads only trace elements of the requested threads and
/// paths, and filters events directly above the reads, so that a server sends only requested events. It
/// yields the last events, or numbers, if these are requested. The other wrappers of the scope are applied to
/// these events. Pure.
///
/// If a path is recorded at several points, only the first is read, so that each operation counts once,
/// unless the question names `point` or `all_points` is true.
///
/// Throws ConfigurationError as check_question does; if no thread or path of `plan` matches, with near names;
/// if `scope` makes numbers, and the question requests others or events; or if it reads only the newest event
/// of each trace element and the question needs unread ones.
ScopeTree narrowed_scope(ScopeTree scope, const Plan& plan, const Question& question, bool all_points);

/// The scope through which a monitor pulls.
struct AskedScope {
  std::string name;      ///< value of `--scope`, or the monitor's default
  bool is_given{false};  ///< whether the user gave `--scope`
  /// Whether the monitor needs the newest event of each trace element; false: the unread events.
  bool newest{false};
  Question question{};
  /// Changes the finished scope of a running session; may be empty.
  std::function<void(ScopeTree& scope)> finish{};
};
/// Returns the scope that the user named, or without a question the default one. A question without `--scope`
/// is applied to a scope that is made for everything that the session records (events_of_everything). This
/// scope is also used if the pathmap does not have a scope of the default name. Throws ConfigurationError if
/// the pathmap does not have a scope of the given name, or records nothing.
ScopeTree base_scope(const std::filesystem::path& pathmap, const Plan& plan, const AskedScope& asked);
/// Returns a scope of everything that the session records, whatever scopes the pathmap has. It needs servers
/// if the scope called `asked.name` does. Throws ConfigurationError if nothing is recorded.
ScopeTree scope_of_everything(const std::filesystem::path& pathmap, const Plan& plan,
                              const AskedScope& asked);
/// Returns base_scope() narrowed by narrowed_scope(). Throws as these functions do.
ScopeTree asked_scope(const std::filesystem::path& pathmap, const Plan& plan, const AskedScope& asked);

}  // namespace eventspace
