#include <eventspace/pathmap.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan.h"
#include "paths/parameters/nearest.h"

namespace eventspace {
namespace {

std::shared_ptr<const Plan> shared(std::optional<Plan>& plan) {
  return plan ? std::make_shared<const Plan>(std::move(*plan)) : nullptr;
}

template <class Entries>
std::vector<std::string> names_in(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

}  // namespace

std::vector<std::string> thread_names(const Plan& plan) {
  std::vector<std::string> names;
  for (const ThreadPlan& thread : plan.threads)
    if (thread.is_thread()) names.push_back(thread.name);
  return names;
}

Pathmap Pathmap::load(const std::filesystem::path& file) {
  LoadResult loaded = load_plan(file);
  return {shared(loaded.plan), std::move(loaded.faults)};
}

Pathmap Pathmap::parse(std::string_view yaml, const std::string& name) {
  LoadResult loaded = parse_plan(yaml, name);
  return {shared(loaded.plan), std::move(loaded.faults)};
}

const std::shared_ptr<const Plan>& Pathmap::plan() const {
  if (plan_ != nullptr) return plan_;
  std::vector<std::string> lines;
  for (const Fault& fault : faults_) lines.push_back(to_string(fault));
  throw ConfigurationError(fmt::format("{}", fmt::join(lines, "\n")));
}

const std::string& Pathmap::name() const { return plan()->name; }
std::vector<std::string> Pathmap::nodes() const { return names_in(plan()->nodes); }
std::vector<std::string> Pathmap::processes() const { return names_in(plan()->processes); }

std::vector<std::string> Pathmap::threads_of(std::string_view process) const {
  const auto index = plan()->find_process(process);
  if (!index) {
    const std::vector<std::string> known = processes();
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw ConfigurationError(
        fmt::format("there is no process '{}'{}", process, hint(process, views, views.size())));
  }
  std::vector<std::string> names;
  for (const ThreadPlan& thread : plan()->threads)
    if (thread.is_thread_of(*index)) names.push_back(thread.name);
  return names;
}

std::vector<std::string> Pathmap::scopes() const {
  std::vector<std::string> names;
  for (const ScopeTree& scope : plan()->scopes) names.push_back(scope.scope);
  return names;
}

}  // namespace eventspace
