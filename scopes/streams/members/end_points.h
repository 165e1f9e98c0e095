#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "paths/views/rank_set.h"
#include "scopes/streams/topology/topology.h"

namespace eventspace::streams {

/// Selects end-points of a network as members of streams: sets of ranks by host, label or expression, which
/// can be combined (|, & and - of RankSet) and named. It does no I/O.
///
///     EndPoints end_points(front_end.topology());
///     end_points.label(*RankSet::parse("0-7"), "role", "solver");
///     end_points.name("upper", end_points.where("role == 'solver' and rank >= 4"));
///     const std::uint32_t stream = front_end.open({.members = end_points.set("upper") - sick});
///     front_end.set_members(stream, end_points.on_host("n[1-4].site"));
///
/// Not thread-safe.
class EndPoints {
 public:
  explicit EndPoints(const Topology& topology);
  EndPoints(EndPoints&&) = default;
  EndPoints& operator=(EndPoints&&) = default;

  [[nodiscard]] const RankSet& back_ends() const noexcept { return back_ends_; }
  [[nodiscard]] const RankSet& internals() const noexcept { return internals_; }

  /// The back-ends on hosts whose names match a pattern (paths/parameters/glob.h). Throws ConfigurationError
  /// for an invalid pattern.
  [[nodiscard]] RankSet on_host(std::string_view pattern) const;

  /// Gives end-points a label, which replaces one of the same name. `name` is a word of letters, digits and
  /// '_' that begins with a letter and differs from all fields; throws ConfigurationError otherwise.
  void label(const RankSet& ranks, std::string_view name, std::string_view value);
  /// The end-points whose label `name` matches a pattern.
  [[nodiscard]] RankSet labelled(std::string_view name, std::string_view pattern) const;

  /// The end-points for which a condition holds, in the expression language (docs/expressions.md). Its fields
  /// are
  ///
  ///     rank      number          for a back-end; missing for internal processes
  ///     process   number          in the topology
  ///     host      text            its place, empty if it has none
  ///     level     number          links to the front-end
  ///     internal  true or false   whether it is an internal process
  ///
  /// and the labels, as texts. A label that an end-point does not have is missing, and comparisons with it
  /// are false. Throws ExpressionError.
  [[nodiscard]] RankSet where(std::string_view condition) const;

  /// Gives a set a name. Throws ConfigurationError if the name is empty or begins with a digit.
  void name(std::string_view name, RankSet members);
  /// A named set; "all" is the set of all back-ends. Throws ConfigurationError with the known names.
  [[nodiscard]] const RankSet& set(std::string_view name) const;

 private:
  struct EndPoint {
    const TreeProcess* process{nullptr};
    std::uint32_t number{0};
    std::uint32_t level{0};
    bool is_internal{false};
    std::map<std::string, std::string, std::less<>> labels{};
  };

  template <class Holds>
  [[nodiscard]] RankSet those(Holds holds) const;

  Topology topology_;
  std::map<RankSet::Rank, EndPoint> by_rank_;
  RankSet back_ends_;
  RankSet internals_;
  std::map<std::string, RankSet, std::less<>> named_;
};

}  // namespace eventspace::streams
