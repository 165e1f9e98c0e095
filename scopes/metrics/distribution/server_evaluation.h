#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/evaluation/evaluator.h"
#include "scopes/metrics/evaluation/event_pass.h"
#include "scopes/metrics/evaluation/tokens.h"
#include "scopes/metrics/events/timed_events.h"
#include "scopes/metrics/history/event_history.h"

namespace eventspace::metrics {

/// A server's part of metrics, evaluated over the unread events of its processes. Keeps the results until the
/// view that carries them has arrived. Not thread-safe.
class ServerEvaluation {
 public:
  /// The most values of a sampler or stream that wait for their view to arrive. Above it, the oldest are
  /// dropped and counted.
  static constexpr std::size_t max_waiting = 200'000;

  /// `server`: a unique number of this evaluation. `names` must outlive it. Throws ConfigurationError for an
  /// expression with a fault.
  ServerEvaluation(ServerPart part, std::uint64_t server, const PlanNames& names);
  ServerEvaluation(const ServerEvaluation&) = delete;
  ServerEvaluation& operator=(const ServerEvaluation&) = delete;

  /// `arrived`: whether the view that carried the last tokens arrived.
  void settle(bool arrived);
  /// The consumer for the pass over the events of a view, which counts runs of them.
  [[nodiscard]] EventPass::Consumer consumer() noexcept { return {&history_, &moments_}; }
  /// Prepares for a new view. Call settle() before it, and take() the events after it.
  void prepare(const View& view);
  /// Takes the events of a view, which are in the order of their ends. Events that the part does not need are
  /// ignored.
  void take(const View& view, std::span<const TimedEvents::Event> events);
  /// Returns the tokens since the last view that arrived. `metric`: the number for Tokens::metric.
  [[nodiscard]] Tokens tokens(std::uint32_t metric) const;

 private:
  void begin(const View& view);
  void sample(const TimedEvents::Event& event);
  void gather();
  void gather_values();
  void gather_stream(std::uint32_t stream);
  void gather_collection(std::uint32_t collection);
  void add_what_is_known_of_probes(Tokens& all) const;
  void add_what_was_given_up(Tokens& all) const;
  void add_what_was_lost(Tokens& all) const;
  [[nodiscard]] Tokens::Object object(Base base, std::uint32_t number) const;
  [[nodiscard]] std::optional<std::uint32_t> probe_of(std::optional<std::uint32_t> region) const;
  /// Streams are numbered after the samplers.
  [[nodiscard]] std::uint32_t number_of_stream(std::uint32_t stream) const {
    return static_cast<std::uint32_t>(part_.definition.samplers.size()) + stream;
  }
  [[nodiscard]] bool is_chosen(std::uint32_t variable, std::uint32_t object) const;
  void keep(Tokens::Value value);
  void drop_oldest_half(std::uint32_t sampler);
  void keep(Tokens::Collected collected);

  const ServerPart part_;
  const std::uint64_t server_;
  EventHistory history_;
  Evaluator evaluator_;
  std::vector<Chosen> chosen_;  // by parameter
  Moments moments_;
  bool has_begun_{false};
  /// How far the values of each sent sampler were taken, by object.
  std::vector<std::vector<std::optional<Step>>> sent_;
  std::size_t threads_arrived_{0};
  Tokens waiting_;  // values and collected tallies
  struct OfSampler {
    std::size_t waiting{0};    // values that wait
    std::uint64_t dropped{0};  // since the server began
  };
  std::vector<OfSampler> of_samplers_;  // and of streams
  std::size_t waited_{0};  // how many of the collected tallies were in earlier views, which did not arrive
};

}  // namespace eventspace::metrics
