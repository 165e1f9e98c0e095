#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/shared_parts.h"
#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// Joins the parts of several metrics, one after the other. Parameters that choose the same objects are
/// merged, and so are variables of the same type, so that equal expressions of two metrics become one node.
/// Variables of one metric stay different. Not thread-safe.
class JoinedParts {
 public:
  /// `metric`: the metric's number, for its requester.
  void add(const ServerPart& part, std::uint32_t metric);
  /// Returns the joined part, and a requester for each added part, in order.
  std::pair<ServerPart, std::vector<Requester>> take();

 private:
  /// The new numbers of the part that is being added.
  struct Renumbering {
    std::vector<std::uint32_t> parameters{};
    std::vector<std::uint32_t> variables{};
    std::vector<std::uint32_t> counters{};
    std::vector<std::uint32_t> samplers{};
    std::unordered_map<const TypedNode*, Typed> done{};
  };
  /// A parameter's type, dimensions, whether one object is given for it, its pattern, and the number of equal
  /// parameters before it in the metric.
  using ParameterKey = std::tuple<Base, std::uint8_t, bool, std::string, std::uint32_t>;

  void add_parameters(const ServerPart& part, Renumbering& numbers);
  void add_variables(const ServerPart& part, Renumbering& numbers);
  std::uint32_t new_variable(MetricType type);
  Typed put(const Typed& node, Renumbering& numbers);
  static std::uint32_t number_of(const TypedNode& node, const Renumbering& numbers);
  std::uint32_t place_of(std::vector<Part>& all, const Part& part, Renumbering& numbers);

  ServerPart whole_;
  NodeTable nodes_;
  std::map<ParameterKey, std::uint32_t> parameters_;
  std::map<Base, std::vector<std::uint32_t>> free_variables_;  // by type
  std::vector<Requester> requesters_;
  std::vector<std::vector<std::uint32_t>> streams_;  // numbers of the streams of each requester
};

}  // namespace eventspace::metrics
