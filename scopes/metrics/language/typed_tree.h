#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scopes/metrics/language/metric_type.h"
#include "scopes/metrics/language/syntax.h"

// The output of the checker of metrics: definitions whose names are resolved, whose variables are replaced by
// their values, and whose types and units are right. It does not refer to the text of the file.

namespace eventspace::metrics {

/// The attributes of a value, which follow a dot.
enum class Attribute : std::uint8_t {
  rank,     ///< of a process: its place in MPI_COMM_WORLD, or among the processes of the pathmap
  name,     ///< of an object or region
  process,  ///< of a thread
  node,     ///< of a thread or process
  site,     ///< of a thread, process or node
  time,     ///< of a value: the mean of the times at which its parts were taken
  begin,    ///< of an interval
  end,      ///< of an interval
  length    ///< of an interval, in seconds
};
std::string_view to_string(Attribute attribute) noexcept;

struct TypedNode;
using Typed = std::shared_ptr<const TypedNode>;

/// A node of a checked expression. Nodes are shared and never change: the expressions of a metric are a
/// directed acyclic graph.
struct TypedNode {
  enum class Kind : std::uint8_t {
    number,       ///< `value`, in seconds and bytes
    text,         ///< `text`
    moment,       ///< `moment`
    interval,     ///< from operands[0] to operands[1]
    parameter,    ///< number `index` of the metric
    variable,     ///< number `index` of the metric: an object, region or virtual time
    probe_value,  ///< value `index`, from 0, of the probe of the AT around it
    shifted,      ///< the virtual time operands[0] plus `shift`
    attribute,    ///< `attribute` of operands[0]
    unary,        ///< `op` on operands[0]: negates, negative
    binary,       ///< `op` on operands[0] and [1]: logic, comparisons, arithmetic
    within,       ///< operands[0] is among, or in the interval, operands[1]
    metric,       ///< the value of metric `index` of the library for the operands
    built_in,     ///< the value of built-in metric `index` for the operands
    at,  ///< operands[0] when process or thread operands[1] passes probe `index` in virtual time operands[2]
    aggregate,    ///< of operands[0] over all values of the `bound` variables for which `condition` holds
    combination,  ///< `aggregate` of the operands
    rate,         ///< operands[0] divided by the time over which it was taken
    received  ///< the tally that servers collected for object operands[0]; `index` is the collection. Not in
              ///< a text
  };

  Kind kind{Kind::number};
  MetricType type;
  Operator op{Operator::any_of};
  Aggregate aggregate{Aggregate::sum};
  Attribute attribute{Attribute::rank};
  Moment moment{Moment::now};
  std::int32_t shift{0};
  std::uint32_t index{0};
  double value{0.0};  ///< of a number; of a percentile, the percentage
  std::string text{};
  std::vector<Typed> operands{};
  std::vector<std::uint32_t> bound{};
  Typed condition{};
  std::size_t begin{0};  ///< in the file

  // Derived from the above (NodeTable::make).
  std::uint16_t depth{1};                       ///< of the expression below it
  std::vector<std::uint32_t> free_variables{};  ///< in ascending order
  /// The virtual times in which it has values, one for each event of a probe: numbers of variables, or
  /// the_parameter; in ascending order. Empty if it has a value at each reading.
  std::vector<std::uint32_t> streams{};

  [[nodiscard]] bool is_event_triggered() const noexcept { return !streams.empty(); }
};

/// A node of variable `number`, which has this type.
TypedNode variable_node(std::uint32_t number, const MetricType& type);

/// In `streams`: the virtual time that is a parameter of the metric.
inline constexpr std::uint32_t the_parameter = 0xffffffff;

/// Makes nodes, each once: for an equal node, it returns the same one. So parts that are written twice, or
/// that two uses of a variable stand for, are one node, and the graph is never larger than the text suggests.
/// Not thread-safe.
class NodeTable {
 public:
  static constexpr std::size_t max_nodes = 2000;  ///< of a metric

  /// Computes the derived members, and returns the node, which does not change any more. Among equal nodes,
  /// the place of the first is kept.
  Typed make(TypedNode node);
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool is_full() const noexcept { return nodes_.size() >= max_nodes; }

 private:
  std::unordered_multimap<std::size_t, Typed> nodes_;  // by their hash
};

struct Parameter {
  std::string name;
  MetricType type;
};

/// A probe that a metric declares. Its first parameters are its process or thread and its virtual time; the
/// rest are the values that the program gives, in order.
struct Probe {
  std::string name;
  Base object{Base::process};
  std::uint32_t values{0};
  bool is_faulty{false};  ///< its declaration has a fault: uses of it are not further faults
};

/// A metric without a fault.
struct Metric {
  std::string name;
  std::vector<Parameter> parameters;
  std::uint32_t time{0};             ///< the parameter that is the time: a point, an interval, a virtual time
  std::vector<Parameter> variables;  ///< variables that are free somewhere in it, and bound by aggregates
  std::vector<Probe> probes;
  DisplayUnit unit;
  Typed result;
  std::string source{};  ///< its text, with the comment right above it
};

}  // namespace eventspace::metrics
