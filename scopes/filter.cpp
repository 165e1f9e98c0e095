#include "scopes/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "collectors/event_record.h"
#include "paths/glob.h"
#include "tuplespace/error.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

Verb verb_from(const std::string& word) {
  constexpr std::array verbs{Verb::write, Verb::read, Verb::take, Verb::discard, Verb::pull};
  for (const Verb verb : verbs) {
    if (to_string(verb) == word) return verb;
  }
  throw ConfigurationError(
      fmt::format("filter: '{}' is no verb; known: write, read, take, discard, pull", word));
}

std::optional<std::string> glob_from(const Parameters& given, std::string_view name) {
  auto pattern = optional_parameter<std::string>(given, name);
  if (pattern && !glob_fault(*pattern).empty()) {
    throw ConfigurationError(fmt::format("filter: {} '{}': {}", name, *pattern, glob_fault(*pattern)));
  }
  return pattern;
}

class FilterOperator final : public ViewOperator {
 public:
  FilterOperator(const Parameters& given, const PlanNames& names)
      : names_(&names),
        threads_(glob_from(given, "threads")),
        paths_(glob_from(given, "paths")),
        longer_than_(optional_parameter<nanoseconds>(given, "longer_than")) {
    if (const auto words = optional_parameter<std::vector<std::string>>(given, "verbs")) {
      for (const std::string& word : *words) verbs_.push_back(verb_from(word));
    }
  }

  void apply(View& view) override {
    // Ticks become time by the clock of the node; all records here come from processes the view reports.
    ns_per_tick_ = view.processes.empty() ? 1.0 : view.processes.front().clock.ns_per_tick;
    view.loss.filtered +=
        std::erase_if(view.records, [this](const TraceTuple& t) { return !passes(decode(t)); });
  }

 private:
  [[nodiscard]] bool passes(const EventRecord& record) const {
    if (!verbs_.empty() && std::find(verbs_.begin(), verbs_.end(), record.verb) == verbs_.end()) return false;
    if (threads_ && !glob_match(*threads_, names_->thread_name(record.thread))) return false;
    if (paths_ && !glob_match(*paths_, names_->path_name(record.path))) return false;
    return !longer_than_ || record.in_flight() ||
           duration_ns(record) > static_cast<double>(longer_than_->count());
  }

  [[nodiscard]] double duration_ns(const EventRecord& record) const noexcept {
    return static_cast<double>(record.end - record.start) * ns_per_tick_;
  }

  const PlanNames* names_;
  std::vector<Verb> verbs_;
  std::optional<std::string> threads_;
  std::optional<std::string> paths_;
  std::optional<nanoseconds> longer_than_;
  double ns_per_tick_{1.0};
};

ParameterSpec optional_spec(std::string name, ParameterKind kind, std::string help) {
  ParameterSpec spec{std::move(name), kind};
  spec.help = std::move(help);
  return spec;
}

}  // namespace

ScopeWrapperInfo filter_wrapper() {
  ParameterSpec verbs = optional_spec("verbs", ParameterKind::texts, "only these operations");
  verbs.choices = {"write", "read", "take", "discard", "pull"};
  ParameterSpec longer =
      optional_spec("longer_than", ParameterKind::duration, "only operations that took longer");
  longer.least = 0.0;
  return {"filter",
          "lets pass the events that meet every condition",
          false,
          {verbs, optional_spec("threads", ParameterKind::text, "only threads whose name matches this glob"),
           optional_spec("paths", ParameterKind::text, "only paths whose name matches this glob"), longer},
          [](const Parameters& given, const PlanNames& names) {
            return std::make_unique<FilterOperator>(given, names);
          }};
}

}  // namespace eventspace
