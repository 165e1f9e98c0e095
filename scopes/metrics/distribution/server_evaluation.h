#pragma once

// Private to scopes/.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/evaluation/evaluator.h"
#include "scopes/metrics/evaluation/event_history.h"
#include "scopes/metrics/evaluation/event_pass.h"
#include "scopes/metrics/evaluation/timed_events.h"
#include "scopes/metrics/evaluation/tokens.h"

namespace eventspace::metrics {

/// A server's part of metrics, evaluated over the unread events of its processes. What it yields is kept
/// until the view that brings it has arrived. Not thread-safe.
class ServerEvaluation {
 public:
  /// Values of a sampler or stream that wait for their view to arrive, at most; its oldest are dropped and
  /// counted.
  static constexpr std::size_t most_waiting = 200'000;

  /// `server`: a number of this evaluation, which no other one has. `names` must outlive it. Throws
  /// ConfigurationError for an expression with a fault.
  ServerEvaluation(ServerPart part, std::uint64_t server, const PlanNames& names);
  ServerEvaluation(const ServerEvaluation&) = delete;
  ServerEvaluation& operator=(const ServerEvaluation&) = delete;

  /// Whether the view that brought the last tokens arrived.
  void settle(bool arrived);
  /// For the pass over the events of a view, which counts runs of them.
  [[nodiscard]] EventPass::Consumer consumer() noexcept { return {&history_, &moments_}; }
  /// A view has come; call it before its events are taken. Call settle() before.
  void prepare(const View& view);
  /// Takes the events of a view, which come in the order of their ends; those that it does not need have no
  /// part.
  void take(const View& view, std::span<const TimedEvents::Event> events);
  /// What there is since the last view that arrived. `metric`: the number for Tokens::metric.
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
  /// Streams are numbered behind the samplers.
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
  /// Of each sampler that is sent, how far its values were taken, by object.
  std::vector<std::vector<std::optional<Step>>> sent_;
  std::size_t threads_arrived_{0};
  Tokens waiting_;  // values and what was collected
  struct OfSampler {
    std::size_t waiting{0};    // of its values
    std::uint64_t dropped{0};  // since the server began
  };
  std::vector<OfSampler> of_samplers_;  // and of streams
  std::size_t waited_{0};  // how many of what was collected came in earlier views, which did not arrive
};

}  // namespace eventspace::metrics
