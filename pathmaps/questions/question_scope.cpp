#include "pathmaps/questions/question_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "pathmaps/plan/plan_lookup.h"
#include "pathmaps/questions/filter_pushdown.h"
#include "pathmaps/variants/scope_variants.h"
#include "paths/parameters/glob.h"
#include "scopes/expressions/expression.h"
#include "scopes/wrappers/scope_wrappers.h"

namespace eventspace {
namespace {

void check_glob(const Question& question, std::string_view option, const std::string& glob) {
  const std::string_view fault = glob.empty() ? std::string_view() : glob_fault(glob);
  if (!fault.empty())
    throw ConfigurationError(
        fmt::format("{}{} '{}': the pattern {}", question.option_prefix, option, glob, fault));
}

// Uses the check of the wrapper that will get the parameters, so that the messages are the same as for a
// pathmap. The wrapper begins messages on a fault inside a text with the parameter's name, which the option
// already gives.
void check_parameters_of(const Question& question, const char* wrapper, const Parameters& given) {
  const auto faults = check_parameters(find_scope_wrapper(wrapper)->parameters, given);
  if (faults.empty()) return;
  const auto& [parameter, text, offset] = faults.front();
  const std::string named = fmt::format("'{}', ", parameter);
  const bool repeats_it = text.starts_with(named);
  throw ConfigurationError(fmt::format("{}{}: {}", question.option_prefix, parameter,
                                       repeats_it ? text.substr(named.size()) : text));
}

bool is_word(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool asks_for_points(const Question& question) {
  const auto names_it = [](const auto& entry) {
    const auto* const text = std::get_if<std::string>(&entry.second);
    return text != nullptr && names_field(*text, "point");
  };
  return names_field(question.where, "point") || std::ranges::any_of(question.numbers, names_it);
}

bool has_wrapper(const ScopeNode& node, std::string_view wrapper) {
  return node.wrapper == wrapper || std::ranges::any_of(node.children, [&](const ScopeNode& child) {
           return has_wrapper(child, wrapper);
         });
}

void check_fits(const ScopeTree& scope, const Question& question) {
  const bool has_numbers = has_wrapper(scope.root, "aggregate");
  if (has_numbers && question.makes_numbers)
    throw ConfigurationError(fmt::format(
        "scope {} already aggregates events; --of, --by, --as and --limit need a scope that yields events",
        scope.scope));
  if (has_numbers && question.last != 0)
    throw ConfigurationError(fmt::format("{}last needs a scope that yields events; scope {} aggregates them",
                                         question.option_prefix, scope.scope));
  if (!scope.next && (question.since || question.last != 0))
    throw ConfigurationError(fmt::format(
        "{}{} needs a scope that reads all events (`read: next`); scope {} reads the newest of each "
        "trace element",
        question.option_prefix, question.since ? "since" : "last", scope.scope));
}

Parameters filter_of(const ScopeTree& scope, const Question& question) {
  Parameters filter;
  if (!question.where.empty()) filter["where"] = question.where;
  // Reads cannot select among trace elements that are not in the plan.
  if (scope.probes || reads_dynamic(scope.root)) {
    if (!question.threads.empty()) filter["threads"] = question.threads;
    if (!question.paths.empty()) filter["paths"] = question.paths;
  }
  return filter;
}

Parameters last_of(const Question& question) {
  return {{"keep", std::string("latest")}, {"most", static_cast<std::int64_t>(question.last)}};
}

// The wrappers that are applied where the events are read, in the direction of the data flow.
std::vector<Wrapping> wrappings(const ScopeTree& scope, const Plan& plan, const Question& question) {
  std::vector<Wrapping> all;
  if (Parameters filter = filter_of(scope, question); !filter.empty()) all.push_back({"filter", filter});
  if (question.makes_numbers) {
    Parameters part = question.numbers;
    part.erase("most");  // a value that is small in each part can be among the greatest of all
    all.push_back({"aggregate", part});
  }
  if (question.last == 0) return all;
  // The times of several nodes can be compared only after a conversion.
  if (plan.nodes.size() > 1 && !has_wrapper(scope.root, "convert")) all.push_back({"convert", {}});
  all.push_back({"reduce", last_of(question)});
  return all;
}

void finish_at_root(ScopeNode& root, const Question& question) {
  if (question.makes_numbers) put_above(root, {"aggregate", question.numbers});
  if (question.last == 0) return;
  put_above(root, {"reduce", last_of(question)});
  put_above(root, {"sort", {{"by", std::string("end")}}});
}

}  // namespace

bool names_field(std::string_view text, std::string_view field) {
  for (std::size_t at = text.find(field); at != std::string_view::npos; at = text.find(field, at + 1)) {
    const std::size_t end = at + field.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

bool yields_events(const ScopeTree& scope) {
  return !has_wrapper(scope.root, "aggregate") && !has_wrapper(scope.root, "collective");
}

void check_question(const Question& question) {
  check_glob(question, "threads", question.threads);
  check_glob(question, "paths", question.paths);
  if (!question.where.empty()) check_parameters_of(question, "filter", {{"where", question.where}});
  check_parameters_of(question, "aggregate", question.numbers);
}

ScopeTree narrowed_scope(ScopeTree scope, const Plan& plan, const Question& question, bool all_points) {
  check_question(question);
  check_fits(scope, question);
  keep_sources(
      scope, plan,
      {question.threads, question.paths, all_points || asks_for_points(question), question.option_prefix});
  if (question.since) scope.since = question.since;
  if (question.last != 0) {
    // All kept events are examined; a server sends only the last of them.
    scope.batch = 1'000'000;
    scope.most = 0;
  }
  const auto above_reads = wrappings(scope, plan, question);
  put_above_reads(scope.root, above_reads);
  finish_at_root(scope.root, question);
  return scope;
}

ScopeTree scope_of_everything(const std::filesystem::path& pathmap, const Plan& plan,
                              const AskedScope& asked) {
  if (!plan.has_pathmap) return require_scope(plan, asked.newest ? "heartbeat" : "events");
  // If the pathmap's own scope needs no servers, the new one does not need them either.
  const ScopeTree* const model = plan.find_scope(asked.name);
  ScopeTree all = events_of_everything(pathmap, plan, model != nullptr && runs_in_one_place(model->root));
  all.scope = "all recorded events";
  if (!asked.newest) return all;
  all.next = false;
  all.most = 0;
  return all;
}

ScopeTree base_scope(const std::filesystem::path& pathmap, const Plan& plan, const AskedScope& asked) {
  const bool is_default = asked.question.is_empty() && plan.find_scope(asked.name) != nullptr;
  if (asked.is_given || is_default) return require_scope(plan, asked.name);
  return scope_of_everything(pathmap, plan, asked);
}

ScopeTree asked_scope(const std::filesystem::path& pathmap, const Plan& plan, const AskedScope& asked) {
  ScopeTree base = base_scope(pathmap, plan, asked);
  const bool is_named = asked.is_given || base.scope == asked.name;
  if (asked.question.is_empty() && is_named && !asked.finish) return base;
  ScopeTree scope = narrowed_scope(std::move(base), plan, asked.question, is_named);
  if (asked.finish) asked.finish(scope);
  return scope;
}

}  // namespace eventspace
