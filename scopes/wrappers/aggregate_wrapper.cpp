#include "scopes/wrappers/aggregate_wrapper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "collectors/event_record.h"
#include "scopes/expressions/expression.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {
namespace {

constexpr std::array numeric{ValueType::number, ValueType::duration};

constexpr std::array reductions{Reduction::count, Reduction::sum, Reduction::mean,
                                Reduction::min,   Reduction::max, Reduction::histogram};

Reduction reduction_from(const std::string& word) {
  return *std::find_if(reductions.begin(), reductions.end(),
                       [&](Reduction reduction) { return to_string(reduction) == word; });
}

/// A text field by which events are grouped.
class Grouping {
 public:
  explicit Grouping(const std::string& field) : field_(field) {}

  /// The common number of the events of a group. Numbers of words are separate for each kind of event.
  [[nodiscard]] std::uint64_t number(const ObservedEvent& event) const noexcept {
    const auto number = field_.name_number(event);
    if (!number) return absent;
    if (field_.field().names != NumberNames::words) return *number;
    return *number | static_cast<std::uint64_t>(event.header().kind) << 32;
  }
  /// The name of the group: "-" for events that lack the field, "?" if the name of the number is not known.
  [[nodiscard]] std::string_view name(std::uint64_t number, const PlanNames& names) const {
    if (number == absent) return "-";
    const std::string_view name =
        field_.name(static_cast<std::uint8_t>(number >> 32), static_cast<std::uint32_t>(number), names);
    return name.empty() ? std::string_view("?") : name;
  }

 private:
  static constexpr std::uint64_t absent = ~std::uint64_t{0};  // no kind has this number and these bits

  FieldReader field_;
};

std::optional<Grouping> grouping_from(const std::optional<std::string>& field) {
  if (!field) return std::nullopt;
  return Grouping(*field);
}

class AggregateOperator final : public ViewOperator {
 public:
  AggregateOperator(const Parameters& given, const PlanNames& names)
      : names_(&names),
        processes_(names),
        of_(parameter<std::string>(given, "of"), numeric, names),
        by_(grouping_from(optional_parameter<std::string>(given, "by"))),
        most_(optional_parameter<std::int64_t>(given, "most")) {
    like_.name = optional_parameter<std::string>(given, "name").value_or(parameter<std::string>(given, "of"));
    like_.unit = of_.type() == ValueType::duration ? "ns" : "";
    like_.reduction = reduction_from(parameter<std::string>(given, "as"));
  }

  void apply(View& view) override {
    merge(view.aggregates, aggregates_of(view));
    view.loss.reduced += view.records.size();
    view.records.clear();
    if (most_) keep_greatest(view.aggregates);
  }

 private:
  std::vector<Aggregate> aggregates_of(const View& view) {
    processes_.learn(view);
    std::map<std::uint64_t, Aggregate> groups;
    for_each_event(view.records, [&](std::span<const TraceTuple> records) {
      const TraceTuple& record = records.back();
      const ObservedEvent event{record, processes_.of(header_of(record)), records.first(records.size() - 1)};
      const std::optional<double> number = of_.number(event);
      if (number && std::isfinite(*number)) group_of(event, groups).add(*number);
    });
    std::vector<Aggregate> aggregates;
    aggregates.reserve(groups.size());
    for (auto& [number, aggregate] : groups) aggregates.push_back(std::move(aggregate));
    put_in_order(aggregates);  // also joins groups of one name: several numbers may have it
    return aggregates;
  }

  Aggregate& group_of(const ObservedEvent& event, std::map<std::uint64_t, Aggregate>& groups) const {
    const std::uint64_t number = by_ ? by_->number(event) : 0;
    const auto [group, is_new] = groups.try_emplace(number, like_);
    if (is_new && by_) group->second.group = by_->name(number, *names_);
    return group->second;
  }

  // Aggregates of other names come from other wrappers and stay.
  void keep_greatest(std::vector<Aggregate>& aggregates) const {
    std::vector<double> values;
    for (const Aggregate& aggregate : aggregates) {
      if (is_mine(aggregate)) values.push_back(aggregate.value());
    }
    if (values.size() <= static_cast<std::size_t>(*most_)) return;
    const auto least = values.begin() + *most_ - 1;
    std::nth_element(values.begin(), least, values.end(), std::greater<>());
    auto places = std::count(values.begin(), least + 1, *least);  // places left for values equal to the least
    std::erase_if(aggregates, [&](const Aggregate& aggregate) {
      if (!is_mine(aggregate) || aggregate.value() > *least) return false;
      return aggregate.value() < *least || places-- <= 0;
    });
  }
  [[nodiscard]] bool is_mine(const Aggregate& aggregate) const {
    return aggregate.name == like_.name && aggregate.reduction == like_.reduction;
  }

  const PlanNames* names_;
  RecordProcesses processes_;
  Expression of_;
  std::optional<Grouping> by_;
  std::optional<std::int64_t> most_;
  Aggregate like_;  // the prototype of each group's aggregate
};

ParameterSpec text_spec(std::string name, std::string help) {
  ParameterSpec spec{std::move(name), ParameterKind::text};
  spec.help = std::move(help);
  return spec;
}

std::vector<ParameterSpec> aggregate_parameters() {
  ParameterSpec of = text_spec("of", "the number or duration of each event, as an expression");
  of.default_value = std::string("duration");
  of.check = [](std::string_view text) { return Expression::fault(text, numeric); };
  ParameterSpec as = text_spec("as", "the kind of aggregate");
  as.default_value = std::string("mean");
  for (const Reduction reduction : reductions) as.choices.emplace_back(to_string(reduction));
  ParameterSpec by = text_spec("by", "one for each of these; left out: one for all");
  by.choices = field_names([](const EventField& field) { return field.type == ValueType::text; });
  ParameterSpec most{"most", ParameterKind::integer};
  most.least = 1;
  most.help = "only this many, those with the greatest values";
  return {of, as, by, most, text_spec("name", "name of the aggregate; default: the expression")};
}

// Only the outermost node may drop values: a value that is small in each part can be among the greatest sums.
Parameters without_most(Parameters given) {
  if (const auto most = given.find("most"); most != given.end()) given.erase(most);
  return given;
}

}  // namespace

ScopeWrapperInfo aggregate_wrapper() {
  return {"aggregate",
          "makes a number or distribution from events: count, sum, mean, min, max or histogram",
          true,
          aggregate_parameters(),
          [](const Parameters& given, const PlanNames& names) {
            return std::make_unique<AggregateOperator>(given, names);
          },
          without_most};
}

}  // namespace eventspace
