#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/expression_values.h"
#include "scopes/metrics/evaluation/tally.h"

namespace eventspace::metrics {

/// The progress of an aggregate over virtual times, or of the results of a definition with a virtual time.
/// Plain data.
struct Progress {
  struct Taken {
    std::optional<Tally> start{};
    std::optional<Tally> last{};
  };
  std::vector<Taken> taken{};  ///< by aggregate
  std::optional<Step> done{};  ///< the last step that was taken
};

/// The virtual times that the values of nodes have not been taken at yet.
///
/// 1. The values of a node are taken once at each step, in the order of steps.
/// 2. A step waits until the value exists, and all later ones with it. When more than `max_waiting` steps
///    wait, the first is given up: it is taken without the objects that have not reached it, and counted.
///
/// Not thread-safe.
class NewSteps {
 public:
  static constexpr std::size_t max_waiting = 1000;

  /// Both must outlive it. `values` need not be constructed yet.
  NewSteps(EvaluationContext& context, ExpressionValues& values) noexcept
      : context_(context), values_(values) {}

  /// The progress of a node, or of the results if it is null, for these values of the free variables.
  using Key = std::pair<const ValueNode*, std::vector<std::int64_t>>;
  [[nodiscard]] Progress& progress(const Key& key) { return progress_[key]; }
  [[nodiscard]] Progress& progress(const ValueNode& node, const Binding& binding);
  /// Forgets what was taken since the last reading.
  void begin_reading();

  /// Calls `take` for each new step. `take` returns false if a value does not exist yet; the step then waits,
  /// until too many steps wait.
  template <class Take>
  void for_each(Progress& progress, ValueNode& node, Binding& binding, std::uint32_t variable,
                const Take& take);
  /// Calls `use` with new steps and the values of a node at them, in their order, up to the first step whose
  /// value does not exist yet; for_each() takes the others. The values of many steps are computed together,
  /// node by node, so that each costs little more than its arithmetic. `of_steps`: the node that determines
  /// which steps are new.
  template <class Use>
  void for_columns(Progress& progress, const ValueNode& of_steps, ValueNode& node, Binding& binding,
                   std::uint32_t variable, const Use& use);

  /// The step that an object has reached in a node whose samplers all sample this object, if that is beyond
  /// its last value: the object leaves out the steps between.
  [[nodiscard]] std::optional<Step> reached(const ValueNode& node, std::uint32_t object) const;
  /// The number of steps that were given up.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }

 private:
  /// Short enough to stay in the cache.
  static constexpr std::size_t max_in_column = 64;
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  /// The steps after `done` of the objects that pass the probes of a node, in their order.
  [[nodiscard]] std::vector<Step> after(const std::optional<Step>& done, const ValueNode& node,
                                        const Binding& binding) const;
  static void append(const Samples& samples, const std::optional<Step>& done, std::vector<Step>& steps);

  EvaluationContext& context_;
  ExpressionValues& values_;
  std::unordered_map<Key, Progress, KeyHash> progress_;
  std::uint64_t given_up_{0};
};

template <class Take>
void NewSteps::for_each(Progress& progress, ValueNode& node, Binding& binding, std::uint32_t variable,
                        const Take& take) {
  const auto steps = after(progress.done, node, binding);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    binding.steps[variable] = steps[i];
    if (!take()) {
      if (steps.size() - i <= max_waiting) return;
      // Without the objects that have not reached it.
      ++given_up_;
      ++node.given_up;
      context_.is_giving_up = true;
      ++context_.now_known;
      (void)take();
      ++context_.now_known;
      context_.is_giving_up = false;
    }
    progress.done = steps[i];
  }
}

template <class Use>
void NewSteps::for_columns(Progress& progress, const ValueNode& of_steps, ValueNode& node, Binding& binding,
                           std::uint32_t variable, const Use& use) {
  if (!node.has_column) return;
  const auto steps = after(progress.done, of_steps, binding);
  for (std::size_t from = 0; from < steps.size(); from += max_in_column) {
    const auto some = std::span(steps).subspan(from, std::min(max_in_column, steps.size() - from));
    ++context_.columns;
    const auto values = values_.column(node, binding, variable, some);
    const auto first_later = std::ranges::find(values, Datum::State::later, &Datum::state);
    const auto ready = static_cast<std::size_t>(first_later - values.begin());
    use(some.first(ready), values.first(ready));
    if (ready > 0) progress.done = some[ready - 1];
    if (ready < some.size()) return;
  }
}

}  // namespace eventspace::metrics
