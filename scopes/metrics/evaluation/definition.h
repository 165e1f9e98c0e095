#pragma once

// Private to scopes/.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// What a measurement counts over the events of each thread.
struct Counter {
  std::uint32_t built_in{0};  ///< number of the built-in metric
  std::string quantity{};     ///< an expression; empty: as the built-in metric says
  std::string condition;      ///< an expression
  bool by_partner{false};     ///< counted apart for each partner
  bool by_region{false};      ///< counted apart for each region around the event
  friend bool operator==(const Counter&, const Counter&) = default;
};

/// A value that is taken whenever an object passes a probe.
struct Sampler {
  std::string probe;
  Base object{Base::process};
  Typed value;           ///< variable `self` is the object; null: it comes from servers
  std::int8_t times{0};  ///< of one that comes from servers: as of Part
  friend bool operator==(const Sampler&, const Sampler&) = default;
};

/// A part of a metric that is evaluated apart from the rest, for each object for which a variable stands: by
/// its server (scopes/metrics/distribution).
struct Part {
  Typed value;
  std::uint32_t object{0};        ///< the variable
  std::uint32_t virtual_time{0};  ///< the variable; of a stream
  /// How often the clock's time is in the value: 1 of a time, which has to be converted where it arrives.
  std::int8_t times{0};
  friend bool operator==(const Part&, const Part&) = default;
};

/// A metric that is ready to be measured: the metrics that it uses are put in, and what is counted and
/// sampled is listed once. In its expressions, a node `built_in` has the number of a counter, or the_clock,
/// or, for a sampled metric, first_sampled plus the metric's number among the built-in ones; its operands are
/// the objects, if there are any, the partners and regions, if they are given, and the interval or point of
/// time. A node `at` has the number of a sampler; its operands are the object and the virtual time. A node
/// `parameter` is one of the metric: several objects, or when it is taken. The one objects of parameters are
/// variables.
struct Definition {
  static constexpr std::uint32_t self = 0;  ///< the variable that is the object of a sampler
  static constexpr std::uint32_t the_clock = 0xffffffff;
  static constexpr std::uint32_t first_sampled = 0xff000000;  ///< plus the number of a built-in metric
  static constexpr std::size_t most_nodes = 20'000;

  /// Whether a node `built_in` with this number is a sampled metric.
  static constexpr bool is_sampled(std::uint32_t built_in) noexcept {
    return built_in >= first_sampled && built_in != the_clock;
  }

  std::string name;
  DisplayUnit unit;
  std::vector<Parameter> parameters;
  std::vector<Parameter> variables;
  /// The variables that stand for parameters with one object, or for the virtual time, by their numbers among
  /// the parameters: there is a result for each of their values.
  std::map<std::uint32_t, std::uint32_t> given;
  std::uint32_t time{0};  ///< which parameter says when
  std::vector<Counter> counters;
  std::vector<Sampler> samplers;
  bool takes_usage{false};  ///< whether it needs ProcessReport::usage
  Typed root;
  /// Of a metric that is divided: what servers evaluate. A stream has a value for each virtual time; at the
  /// front-end, it is the sampler behind those of the metric. A collection is an aggregate over virtual
  /// times; at the front-end, it is a node `received`.
  std::vector<Part> streams{};
  std::vector<Part> collections{};

  /// Whether it has a value for each virtual time.
  [[nodiscard]] bool is_stream() const noexcept { return given.contains(time); }
  /// Whether its values are taken over a time by which they can be divided: an interval, or, of one with a
  /// virtual time, that between several passages of probes. Not of the front-end's part of a divided metric.
  [[nodiscard]] bool is_over_time() const;
};

/// Makes metric `number` of `library` ready. `each`: parameters that take several objects or regions, and for
/// each of which there is to be a value instead of one over all of them (the summary mode of
/// grid-distributed-evaluation, section 6.7.4). Pure. Throws ConfigurationError, which says what, if the
/// metric needs something that cannot be measured: values of other objects, of regions, or sampled ones at a
/// probe of one, or an interval that does not begin with START or LAST and end with NOW.
Definition define(std::span<const Metric> library, std::uint32_t number,
                  const std::set<std::uint32_t>& each = {});

}  // namespace eventspace::metrics
