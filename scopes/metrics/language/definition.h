#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// A count that a measurement keeps over the events of each thread.
struct Counter {
  std::uint32_t built_in{0};  ///< number of the built-in metric
  std::string quantity{};     ///< an expression; empty means the default of the built-in metric
  std::string condition;      ///< an expression
  bool by_partner{false};     ///< counted separately for each partner
  bool by_region{false};      ///< counted separately for each region around the event
  friend bool operator==(const Counter&, const Counter&) = default;
};

/// A value that is taken whenever an object passes a probe.
struct Sampler {
  std::string probe;
  Base object{Base::process};
  Typed value;           ///< variable `self` is the object; null if the value comes from servers
  std::int8_t times{0};  ///< for values from servers: as Part::times
  friend bool operator==(const Sampler&, const Sampler&) = default;
};

/// A part of a metric that a server evaluates separately, for each object of a variable
/// (scopes/metrics/distribution).
struct Part {
  Typed value;
  std::uint32_t object{0};        ///< the variable
  std::uint32_t virtual_time{0};  ///< the variable, for a stream
  /// The factor of the clock's time in the value: 1 for a time, which the receiver has to convert.
  std::int8_t times{0};
  friend bool operator==(const Part&, const Part&) = default;
};

/// A metric that is ready to be measured: the metrics that it uses are inlined into its result, and its
/// counters and samplers are listed once. Its source holds the texts of the metrics that it uses, too: with
/// `each`, it defines the metric again (scopes/metrics/distribution/parts_description.h). The nodes of its
/// expressions are as follows:
///
/// - `built_in` has the number of a counter, or the_clock, or, for a sampled metric, first_sampled plus the
///   metric's number among the built-in ones. Its operands are the objects, if there are any, the partners
///   and regions, if they are given, and the interval or point of time.
/// - `at` has the number of a sampler; its operands are the object and the virtual time.
/// - `parameter` is a parameter of the metric: several objects, or the time. Parameters with a single object
///   are variables.
struct Definition : Metric {
  static constexpr std::uint32_t self = 0;  ///< the variable that is the object of a sampler
  static constexpr std::uint32_t the_clock = 0xffffffff;
  static constexpr std::uint32_t first_sampled = 0xff000000;  ///< plus the number of a built-in metric
  static constexpr std::size_t max_nodes = 20'000;
  static constexpr int max_depth = 2000;  ///< of metrics that are put in, so that no text exhausts the stack
  static constexpr std::size_t max_steps = 500'000;  ///< nodes that are put in, equal ones too

  /// Whether a node `built_in` with this number is a sampled metric.
  static constexpr bool is_sampled(std::uint32_t built_in) noexcept {
    return built_in >= first_sampled && built_in != the_clock;
  }

  /// The variables that stand for parameters with one object, or for the virtual time, by the number of the
  /// parameter. There is a result for each of their values.
  std::map<std::uint32_t, std::uint32_t> given;
  std::vector<Counter> counters;
  std::vector<Sampler> samplers;
  bool takes_usage{false};  ///< whether it needs ProcessReport::usage
  /// The parts that servers evaluate, if the metric is divided. A stream has a value for each virtual time;
  /// at the front-end it is a sampler, numbered after the metric's own. A collection is an aggregate over
  /// virtual times; at the front-end it is a node `received`.
  std::vector<Part> streams{};
  std::vector<Part> collections{};
  std::vector<std::uint32_t> each{};  ///< as given to define()
  std::size_t steps{0};               ///< nodes that define() put in, equal ones too

  /// Whether it has a value for each virtual time.
  [[nodiscard]] bool is_stream() const noexcept { return given.contains(time); }
  /// Whether its values are taken over a time by which they can be divided: an interval, or, for a metric
  /// with a virtual time, the time between several passages of probes. Not for the front-end's part of a
  /// divided metric.
  [[nodiscard]] bool is_over_time() const;
};

/// Prepares metric `number` of `library`. `each`: parameters that take several objects or regions and for
/// each of which there is to be a value instead of one over all of them (the summary mode of
/// grid-distributed-evaluation, section 6.7.4). Pure. Throws ConfigurationError with the reason if the metric
/// needs something that cannot be measured: at a probe of one object, values of other objects or of regions
/// or sampled values; or an interval that does not begin with START or LAST and end with NOW.
Definition define(std::span<const Metric> library, std::uint32_t number,
                  const std::set<std::uint32_t>& each = {});

}  // namespace eventspace::metrics
