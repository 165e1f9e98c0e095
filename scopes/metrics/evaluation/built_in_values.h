#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scopes/metrics/evaluation/evaluation_context.h"

namespace eventspace::metrics {

/// The values of built-in metrics: reads counts and samples of the history.
///
/// 1. The first operand of a built-in metric names its objects; the others, if there are any, limit the count
///    to partners or regions. The caller resolves them to numbers of ObservedObjects.
/// 2. A value covers the interval of its last operand, up to the time of the reading.
///
/// Not thread-safe.
class BuiltInValues {
 public:
  static constexpr std::size_t max_operands = 3;  ///< the objects, the partners, and the regions
  using Operands = std::array<std::vector<std::uint32_t>, max_operands>;

  /// `context` must outlive it.
  explicit BuiltInValues(const EvaluationContext& context) noexcept : context_(context) {}

  /// Time(): the time of the reading or passage, in seconds.
  [[nodiscard]] Datum clock() const;
  /// The value of a node `built_in` other than the clock.
  [[nodiscard]] Datum of(const ValueNode& node, const Operands& operands) const;

 private:
  [[nodiscard]] Datum counted(const ValueNode& node, const std::vector<std::uint32_t>& threads) const;
  /// The counts with some partners, or in some regions.
  [[nodiscard]] Datum limited(const ValueNode& node, const Operands& operands,
                              CounterTotals::Over over) const;
  [[nodiscard]] Datum sampled(const ValueNode& node, const std::vector<std::uint32_t>& objects) const;

  const EvaluationContext& context_;
};

}  // namespace eventspace::metrics
