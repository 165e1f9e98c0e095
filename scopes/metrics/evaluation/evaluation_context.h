#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "scopes/metrics/evaluation/chosen_objects.h"
#include "scopes/metrics/evaluation/moments.h"
#include "scopes/metrics/evaluation/value_nodes.h"
#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/history/event_history.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// The state that the parts of an Evaluator share: the observations, the time of the reading, and whether
/// cached values are stale. Plain data, with the questions that several parts ask about it.
///
/// 1. A value that was remembered is known only while now_known stays the same.
/// 2. `passage` is set only while a sample is taken.
struct EvaluationContext {
  const Definition& definition;
  EventHistory& history;
  std::span<const Chosen> chosen{};  ///< by parameter
  Moments moments{};
  const ProbeSamples::Passage* passage{nullptr};
  bool is_giving_up{false};    ///< virtual times are taken without the objects that have not reached them
  std::uint64_t now_known{1};  ///< values cached with a lower number are stale
  std::uint64_t columns{0};    ///< the number of the steps whose columns are computed

  /// Whether a node has a cached value for the binding.
  [[nodiscard]] bool is_known(const ValueNode& node, const Binding& binding) const;
  void remember(ValueNode& node, const Binding& binding, const Datum& value) const;

  [[nodiscard]] Datum moment(Moment moment) const;
  [[nodiscard]] Span span_of(const ValueNode& interval) const;
  /// The interval that a condition names, or nothing.
  [[nodiscard]] std::optional<Span> span_in(const ValueNode& condition) const;
  /// The same for the condition of an aggregate, if it has one.
  [[nodiscard]] std::optional<Span> span_over(const ValueNode& aggregate) const;
  [[nodiscard]] std::int64_t begin_of(Span span) const noexcept {
    return span == Span::since_last ? moments.last_ns : moments.start_ns;
  }
  /// An aggregate over the virtual times of an interval covers that interval, and not only the time from its
  /// first value to its last: n passages of a probe are n - 1 steps apart.
  [[nodiscard]] Datum over_interval(Datum value, std::optional<Span> span) const;
  /// Values that are new since the last reading belong to this one, even if they were late.
  [[nodiscard]] bool is_in_interval(double time_ns) const noexcept {
    return time_ns >= static_cast<double>(moments.start_ns);
  }
  [[nodiscard]] double time_of(const Datum& value) const noexcept {
    return static_cast<double>(value.is_timeless() ? moments.now_ns : value.time_ns);
  }
};

}  // namespace eventspace::metrics
