#include "scopes/wrappers/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include <eventspace/error.h>
#include "collectors/record_header.h"
#include "paths/parameters/glob.h"
#include "scopes/expressions/expression.h"
#include "scopes/expressions/word_test.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/rate_limit.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {
namespace {

using expressions::Operator;
using std::chrono::nanoseconds;

std::optional<std::string> glob_from(const Parameters& given, std::string_view name) {
  auto pattern = optional_parameter<std::string>(given, name);
  if (pattern && !glob_fault(*pattern).empty()) {
    throw ConfigurationError(fmt::format("filter: {} '{}': {}", name, *pattern, glob_fault(*pattern)));
  }
  return pattern;
}

constexpr std::array condition{ValueType::boolean};

FieldId verb_field() { return *EventKinds::instance().field_named("verb"); }

class FilterOperator final : public ViewOperator {
 public:
  FilterOperator(const Parameters& given, const PlanNames& names)
      : names_(&names),
        processes_(names),
        threads_(glob_from(given, "threads")),
        paths_(glob_from(given, "paths")),
        longer_than_(optional_parameter<nanoseconds>(given, "longer_than")),
        window_(optional_parameter<nanoseconds>(given, "window")),
        every_(optional_parameter<std::int64_t>(given, "every").value_or(1)) {
    if (const auto verbs = optional_parameter<std::vector<std::string>>(given, "verbs")) {
      for (const std::string& verb : *verbs) verbs_.emplace_back(verb_field(), Operator::equal, verb);
    }
    if (const auto where = optional_parameter<std::string>(given, "where"))
      where_.emplace(*where, condition, names);
    if (const auto rate = optional_parameter<double>(given, "rate")) rate_.emplace(*rate);
  }

  void apply(View& view) override {
    processes_.learn(view);
    if (rate_) rate_->begin_view();
    view.loss.filtered += keep_events(view.records, [this](std::span<const TraceTuple> records) {
      const TraceTuple& record = records.back();
      ObservedEvent event{record, nullptr, records.first(records.size() - 1)};
      if (!is_named(event)) return false;
      event.process = processes_.of(header_of(record));  // costs more than the names, which do not need it
      return passes(event);
    });
  }

 private:
  // All conditions except names. The rate is tested last, because only events that meet all other conditions
  // count.
  [[nodiscard]] bool passes(const ObservedEvent& event) {
    return is_in_time(event) && event.header().sequence % static_cast<std::uint64_t>(every_) == 0 &&
           (!where_ || where_->holds(event)) && (!rate_ || rate_->passes(event));
  }

  [[nodiscard]] bool is_named(const ObservedEvent& event) const {
    const RecordHeader record = event.header();
    const auto has = [&event](const expressions::WordTest& verb) { return verb.holds(event); };
    if (!verbs_.empty() && std::ranges::none_of(verbs_, has)) return false;
    if (threads_ && !glob_match(*threads_, names_->thread_name(record.thread))) return false;
    return !paths_ || glob_match(*paths_, names_->path_name(record.path));
  }

  [[nodiscard]] bool is_in_time(const ObservedEvent& event) const noexcept {
    if (event.in_flight()) return true;
    if (longer_than_ && !(event.duration_ns() > static_cast<double>(longer_than_->count()))) return false;
    if (!window_) return true;
    const auto since_end = event.ns_since_end();
    return since_end && *since_end <= static_cast<double>(window_->count());
  }

  const PlanNames* names_;
  RecordProcesses processes_;
  std::optional<std::string> threads_;
  std::optional<std::string> paths_;
  std::vector<expressions::WordTest> verbs_;
  std::optional<nanoseconds> longer_than_;
  std::optional<nanoseconds> window_;
  std::int64_t every_;
  std::optional<Expression> where_;
  std::optional<RateLimit> rate_;
};

ParameterSpec optional_spec(std::string name, ParameterKind kind, std::string help) {
  ParameterSpec spec{std::move(name), kind};
  spec.help = std::move(help);
  return spec;
}

ParameterSpec bounded_spec(std::string name, ParameterKind kind, double least, std::string help) {
  ParameterSpec spec = optional_spec(std::move(name), kind, std::move(help));
  spec.least = least;
  return spec;
}

std::vector<ParameterSpec> filter_parameters() {
  ParameterSpec verbs = optional_spec("verbs", ParameterKind::texts, "only these operations");
  for (const std::string_view word : words_of(verb_field())) verbs.choices.emplace_back(word);
  ParameterSpec where =
      optional_spec("where", ParameterKind::text, "only events for which this expression is true");
  where.check = [](std::string_view text) { return Expression::fault(text, condition); };
  ParameterSpec rate = bounded_spec("rate", ParameterKind::real, 0.001,
                                    "at most this many events a second of each trace element");
  rate.most = 1e9;
  return {where,
          verbs,
          optional_spec("threads", ParameterKind::text, "only threads whose name matches this glob"),
          optional_spec("paths", ParameterKind::text, "only paths whose name matches this glob"),
          bounded_spec("longer_than", ParameterKind::duration, 0.0, "only operations that took longer"),
          bounded_spec("window", ParameterKind::duration, 0.0,
                       "only operations that ended within this time before the pull"),
          bounded_spec("every", ParameterKind::integer, 1.0,
                       "only every n-th event of each trace element, by its sequence number"),
          rate};
}

}  // namespace

ScopeWrapperInfo filter_wrapper() {
  return {"filter", "passes the events that meet all conditions", false, filter_parameters(),
          [](const Parameters& given, const PlanNames& names) {
            return std::make_unique<FilterOperator>(given, names);
          }};
}

}  // namespace eventspace
