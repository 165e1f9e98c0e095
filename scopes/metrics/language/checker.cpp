#include "scopes/metrics/language/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "paths/parameters/nearest.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/language/expression_checker.h"

namespace eventspace::metrics {
namespace {

/// Checks one metric, statement by statement.
class MetricChecker {
 public:
  MetricChecker(const MetricSyntax& syntax, const KnownMetrics& known, std::vector<Fault>& faults)
      : syntax_(syntax),
        known_(known),
        faults_(faults),
        expressions_(names_, metric_.probes, known_, faults) {}

  std::optional<Metric> run() {
    const std::size_t before = faults_.size();
    metric_.name = syntax_.name.text;
    check_name();
    parameters();
    for (const Statement& statement : syntax_.statements) {
      if (has_result_) {
        fail(statement.begin, "found a statement after RETURN, which must be the last statement");
        break;
      }
      check(statement);
    }
    if (!has_result_) fail(syntax_.end, fmt::format("the metric '{}' lacks a RETURN", metric_.name));
    if (faults_.size() > before || !metric_.result) return std::nullopt;
    metric_.variables = names_.variables();
    return std::move(metric_);
  }

 private:
  void check_name() {
    std::uint32_t number = 0;
    if (built_in_metric_named(metric_.name)) {
      fail(syntax_.name.begin, fmt::format("'{}' is a built-in metric; choose another name", metric_.name));
    } else if (known_.find(metric_.name, number) != nullptr) {
      fail(syntax_.name.begin, fmt::format("the metric '{}' is already defined", metric_.name));
    }
  }

  void parameters() {
    int times = 0;
    bool are_known = true;
    for (const ParameterSyntax& parameter : syntax_.parameters) {
      const auto base = base_of(parameter.type);
      if (!base) {  // keeps the name known, so that its uses are not further faults
        add(parameter.name, {.kind = Symbol::Kind::definition, .type = {}});
        are_known = false;
        continue;
      }
      const auto number = static_cast<std::uint32_t>(metric_.parameters.size());
      if (is_time(*base)) {
        ++times;
        metric_.time = number;
        if (parameter.type.dimensions > 0)
          fail(parameter.type.name.begin,
               fmt::format("'{}' is the time of the metric and cannot be an array", parameter.name.text));
      } else if (*base == Base::value) {
        fail(parameter.type.name.begin,
             "a Value cannot be a parameter; expected Process, Thread, Node, Site, Region or a time");
      } else if (parameter.type.dimensions > 1) {
        fail(parameter.type.name.begin, "a parameter has at most one dimension");
      }
      const MetricType type{*base, parameter.type.dimensions};
      metric_.parameters.push_back({std::string(parameter.name.text), type});
      add(parameter.name, {.kind = Symbol::Kind::parameter, .type = type, .number = number});
    }
    if (times != 1 && are_known)
      fail(syntax_.name.begin,
           fmt::format("the metric '{}' has {}; expected one VirtualTime, TimeInterval or "
                       "TimePoint",
                       metric_.name,
                       times == 0 ? "no time parameter" : fmt::format("{} time parameters", times)));
  }

  void check(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::declaration:
        return declaration(statement);
      case Statement::Kind::definition:
        return definition(statement);
      case Statement::Kind::assignment:
        return assignment(statement);
      case Statement::Kind::probe:
        return probe(statement);
      case Statement::Kind::result:
        return result(statement);
    }
  }

  void declaration(const Statement& statement) {
    const auto base = base_of(statement.type);
    if (!base) return;
    for (const Word& name : statement.names) add(name, variable(*base, statement.type, name));
  }

  Symbol variable(Base base, const TypeSyntax& type, const Word& name) {
    const MetricType declared{base, 0};
    Symbol made{.kind = Symbol::Kind::variable, .type = declared, .is_array = type.dimensions > 0};
    made.type.dimensions = type.dimensions;
    if (!made.is_array) made.number = names_.add_variable(std::string(name.text), declared);
    return made;
  }

  void definition(const Statement& statement) {
    const auto base = base_of(statement.type);
    const Word& name = statement.names[0];
    const Typed value = expressions_.value(*statement.value, {});
    if (!base) return;
    if (value && (value->type.base != *base || value->type.dimensions != statement.type.dimensions))
      fail(statement.value->begin,
           fmt::format("{} is {}; '{}' is declared as {}", shown(statement.value->source),
                       described(value->type), name.text, described({*base, statement.type.dimensions})));
    add(name, {.kind = Symbol::Kind::definition, .type = {*base}, .value = value});
  }

  void assignment(const Statement& statement) {
    const Word& name = statement.names[0];
    Symbol* const symbol = names_.find(name.text);
    if (symbol == nullptr) {
      const auto known = names_.names();
      return fail(name.begin, fmt::format("unknown variable '{}'{}; declare it first: Value{} {};", name.text,
                                          suggestion(name.text, known), statement.indices.empty() ? "" : "[]",
                                          name.text));
    }
    if (symbol->kind != Symbol::Kind::variable)
      return fail(name.begin, fmt::format("'{}' already has a value", name.text));
    const auto indices = indices_of(statement, *symbol);
    if (!indices) return;
    const Typed value = expressions_.value(*statement.value, *indices);
    if (value && !value->type.is(symbol->type.base))
      fail(statement.value->begin,
           fmt::format("{} is {}; '{}' is declared as {}", shown(statement.value->source),
                       described(value->type), name.text, described({symbol->type.base})));
    symbol->kind = Symbol::Kind::definition;
    symbol->indices = *indices;
    symbol->value = value;
  }

  /// Returns the variables that index the assigned one; nothing after a fault.
  std::optional<std::vector<std::uint32_t>> indices_of(const Statement& statement, const Symbol& symbol) {
    const Word& name = statement.names[0];
    if (statement.indices.size() != symbol.type.dimensions) {
      fail(name.begin, fmt::format("'{}' is declared with {} dimensions, found {} indices", name.text,
                                   symbol.type.dimensions, statement.indices.size()));
      return std::nullopt;
    }
    std::vector<std::uint32_t> indices;
    for (const Word& word : statement.indices) {
      const Symbol* const index = names_.find(word.text);
      const bool is_free = index != nullptr && index->kind == Symbol::Kind::variable && !index->is_array &&
                           index->type.base != Base::value;
      if (!is_free) {
        fail(word.begin, fmt::format("'{}' is not a free variable; expected one, such as p after "
                                     "'Process p;'",
                                     word.text));
        return std::nullopt;
      }
      if (std::ranges::find(indices, index->number) != indices.end()) {
        fail(word.begin, fmt::format("'{}' is listed twice", word.text));
        return std::nullopt;
      }
      indices.push_back(index->number);
    }
    return indices;
  }

  void probe(const Statement& statement) {
    constexpr std::size_t max_values = 8;
    const Word& name = statement.names[0];
    std::vector<Base> types;
    bool are_known = true;
    for (const ParameterSyntax& parameter : statement.parameters) {
      const auto base = base_of(parameter.type);
      are_known &= base.has_value();
      types.push_back(base.value_or(Base::value));
    }
    const bool is_right =
        are_known && types.size() >= 2 && (types[0] == Base::process || types[0] == Base::thread) &&
        types[1] == Base::virtual_time && types.size() <= max_values + 2 &&
        std::all_of(types.begin() + 2, types.end(), [](Base base) { return base == Base::value; });
    if (!is_right && are_known)
      fail(name.begin, fmt::format("expected PROBE {}(Process or Thread, VirtualTime), and up to {} more of "
                                   "type Value",
                                   name.text, max_values));
    if (std::ranges::find(metric_.probes, name.text, &Probe::name) != metric_.probes.end())
      return fail(name.begin, fmt::format("the probe '{}' is already declared", name.text));
    metric_.probes.push_back({std::string(name.text), is_right ? types[0] : Base::process,
                              static_cast<std::uint32_t>(types.size() < 2 ? 0 : types.size() - 2),
                              !is_right});
  }

  void result(const Statement& statement) {
    has_result_ = true;
    metric_.result = expressions_.value(*statement.value, {});
    if (!metric_.result) return;
    const auto text = shown(statement.value->source);
    if (!metric_.result->type.is(Base::value))
      return fail(statement.value->begin,
                  fmt::format("{} is {}; a metric returns a value", text, described(metric_.result->type)));
    if (metric_.parameters.empty()) return;
    const bool is_stream = metric_.parameters[metric_.time].type.is(Base::virtual_time);
    if (is_stream && !metric_.result->is_event_triggered())
      fail(statement.value->begin,
           fmt::format("{} does not depend on a probe, but the metric has a VirtualTime; expected VALUE AT "
                       "PROBE(..., {})",
                       text, metric_.parameters[metric_.time].name));
    unit();
  }

  void unit() {
    const Unit found = metric_.result->type.unit;
    if (!syntax_.unit) {
      metric_.unit = display_unit(found);
      return;
    }
    const auto declared = display_unit(syntax_.unit->text);
    if (!declared)
      return fail(syntax_.unit->begin,
                  "a unit has 1 to 40 printable characters, such as \"MiB/s\" or \"iterations\"");
    if (declared->unit != found)
      return fail(syntax_.unit->begin, fmt::format("the metric returns {}, which cannot be written in '{}'",
                                                   described(metric_.result->type), syntax_.unit->text));
    metric_.unit = *declared;
  }

  std::optional<Base> base_of(const TypeSyntax& type) {
    const auto base = base_named(type.name.text);
    if (!base)
      fail(type.name.begin,
           fmt::format("unknown type '{}'{}", type.name.text, hint(type.name.text, type_names)));
    return base;
  }

  void add(const Word& name, Symbol symbol) {
    symbol.begin = name.begin;
    if (names_.add(name.text, std::move(symbol)) != nullptr)
      fail(name.begin, fmt::format("'{}' is already declared", name.text));
  }

  void fail(std::size_t offset, std::string text) { faults_.push_back({offset, std::move(text)}); }

  const MetricSyntax& syntax_;
  const KnownMetrics& known_;
  std::vector<Fault>& faults_;
  Metric metric_;
  NameScope names_;
  ExpressionChecker expressions_;
  bool has_result_{false};
};

}  // namespace

CheckedFile check_metrics(const FileSyntax& file, std::span<const Metric> known) {
  CheckedFile checked;
  for (const MetricSyntax& syntax : file.metrics) {
    const KnownMetrics usable{known, &checked.metrics, &file, syntax.name.text};
    if (auto metric = MetricChecker(syntax, usable, checked.faults).run())
      checked.metrics.push_back(std::move(*metric));
  }
  std::ranges::stable_sort(checked.faults, {}, &Fault::offset);
  return checked;
}

}  // namespace eventspace::metrics
