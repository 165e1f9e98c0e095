#include "tests/scopes/metrics/language/typed_text.h"

#include <fmt/format.h>

#include "scopes/metrics/language/built_in_metrics.h"

namespace eventspace::metrics {
namespace {

constexpr std::size_t max_parts_written = 10'000;

std::string number_text(const TypedNode& node) {
  if (node.type.unit == no_unit) return fmt::format("{}", node.value);
  return fmt::format("{}{}", node.value, to_string(node.type.unit));
}

/// Writes expressions. Shared parts are written each time, so the number of parts is bounded.
class Writer {
 public:
  Writer(const Metric& metric, std::span<const Metric> known) : metric_(metric), known_(known) {}

  std::string of(const Typed& node) { return ++parts_ > max_parts_written ? "..." : written(*node); }

  [[nodiscard]] std::string variable(std::uint32_t number) const {
    const std::string& name = metric_.variables[number].name;
    std::string text = name;
    for (std::uint32_t i = 0; i < number; ++i) {
      if (metric_.variables[i].name == name) text += "'";
    }
    for (const Parameter& parameter : metric_.parameters) {
      if (parameter.name == name) text += "'";
    }
    return text;
  }

  [[nodiscard]] std::string bound(const TypedNode& node) const {
    std::string text(to_string(node.aggregate));
    for (const std::uint32_t each : node.bound) text += fmt::format("[{}]", variable(each));
    return text;
  }

 private:
  std::string written(const TypedNode& node) {
    switch (node.kind) {
      case TypedNode::Kind::attribute:
        return fmt::format("{}.{}", of(node.operands[0]), to_string(node.attribute));
      case TypedNode::Kind::shifted:
        return shifted(node);
      case TypedNode::Kind::interval:
        return fmt::format("[{}, {}]", of(node.operands[0]), of(node.operands[1]));
      case TypedNode::Kind::unary:
        if (node.op == Operator::negates) return fmt::format("(not {})", of(node.operands[0]));
        return fmt::format("(-{})", of(node.operands[0]));
      case TypedNode::Kind::binary:
        return fmt::format("({} {} {})", of(node.operands[0]), expressions::to_string(node.op),
                           of(node.operands[1]));
      case TypedNode::Kind::within:
        return fmt::format("({} IN {})", of(node.operands[0]), of(node.operands[1]));
      case TypedNode::Kind::at:
        return fmt::format("({} AT {}({}, {}))", of(node.operands[0]), metric_.probes[node.index].name,
                           of(node.operands[1]), of(node.operands[2]));
      case TypedNode::Kind::aggregate:
        return aggregate(node);
      default:
        return node.operands.empty() ? label(node, metric_, known_) : call(node);
    }
  }

  std::string shifted(const TypedNode& node) {
    int shift = node.shift;
    const TypedNode* at = node.operands[0].get();
    for (; at->kind == TypedNode::Kind::shifted; at = at->operands[0].get()) shift += at->shift;
    const std::string base = label(*at, metric_, known_);
    return shift == 0 ? base : fmt::format("{}{:+}", base, shift);
  }

  std::string aggregate(const TypedNode& node) {
    std::string text = fmt::format("{}({}", bound(node), of(node.operands[0]));
    if (node.aggregate == Aggregate::percentile) text += fmt::format(", {}", node.value);
    if (node.condition) text += " WHERE " + of(node.condition);
    return text + ")";
  }

  std::string call(const TypedNode& node) {
    std::string text = label(node, metric_, known_) + "(";
    for (std::size_t i = 0; i < node.operands.size(); ++i)
      text += (i == 0 ? "" : ", ") + of(node.operands[i]);
    return text + ")";
  }

  const Metric& metric_;
  std::span<const Metric> known_;
  std::size_t parts_{0};
};

}  // namespace

std::string to_text(const Metric& metric, std::span<const Metric> known) {
  return Writer(metric, known).of(metric.result);
}

std::string label(const TypedNode& node, const Metric& metric, std::span<const Metric> known) {
  switch (node.kind) {
    case TypedNode::Kind::number:
      return number_text(node);
    case TypedNode::Kind::text:
      return fmt::format("'{}'", node.text);
    case TypedNode::Kind::moment:
      return std::string(to_string(node.moment));
    case TypedNode::Kind::interval:
      return "[ , ]";
    case TypedNode::Kind::parameter:
      return metric.parameters[node.index].name;
    case TypedNode::Kind::variable:
      return Writer(metric, known).variable(node.index);
    case TypedNode::Kind::probe_value:
      return fmt::format("VALUE{}", node.index + 1);
    case TypedNode::Kind::shifted:
      return fmt::format("{:+}", node.shift);
    case TypedNode::Kind::attribute:
      return fmt::format(".{}", to_string(node.attribute));
    case TypedNode::Kind::unary:
    case TypedNode::Kind::binary:
      return std::string(expressions::to_string(node.op));
    case TypedNode::Kind::within:
      return "IN";
    case TypedNode::Kind::metric:
      return known[node.index].name;
    case TypedNode::Kind::built_in:
      return built_in_metrics()[node.index].name;
    case TypedNode::Kind::at:
      return fmt::format("AT {}", metric.probes[node.index].name);
    case TypedNode::Kind::aggregate:
      return Writer(metric, known).bound(node);
    case TypedNode::Kind::combination:
      return std::string(to_string(node.aggregate));
    case TypedNode::Kind::rate:
      return "RATE";
    case TypedNode::Kind::received:
      break;  // not in a text
  }
  return "?";
}

}  // namespace eventspace::metrics
