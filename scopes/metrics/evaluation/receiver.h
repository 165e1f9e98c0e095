#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "paths/views/view.h"
#include "scopes/metrics/evaluation/evaluator.h"
#include "scopes/metrics/evaluation/tokens.h"
#include "scopes/metrics/history/event_history.h"

namespace eventspace::metrics {

/// Takes the tokens of servers and stores them for the evaluation at the front-end: converts times to the
/// clock of the observer, and continues the counts of a server after its restart. Not thread-safe.
class Receiver {
 public:
  /// All must outlive it.
  Receiver(const Definition& definition, EventHistory& history, Evaluator& evaluator)
      : definition_(&definition), history_(&history), evaluator_(&evaluator) {}

  /// Takes the tokens that came with `view`. Tokens with numbers that the definition does not have are
  /// dropped and counted in dropped().
  void take(const Tokens& tokens, const View& view);

  /// How often the server of a process was replaced by one without its predecessor's state: its values at
  /// probes miss the earlier ones.
  [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }
  [[nodiscard]] std::uint64_t unmatched() const noexcept { return unmatched_; }

 private:
  /// The last count of a server, and the sum of its predecessors'.
  struct Total {
    std::uint64_t server{0};
    double before{0.0};
    double now{0.0};
  };
  /// The epochs of a server continue its predecessor's epochs.
  struct Epochs {
    std::uint64_t server{0};
    std::int64_t before{0};
  };
  struct Said {
    std::uint64_t given_up{0};
    std::uint64_t repeated{0};
    std::uint64_t dropped{0};
    std::uint64_t unmatched{0};
  };

  void note_servers(const Tokens& tokens, const View& view);
  void note_server(std::uint32_t process, std::uint64_t server);
  void count_faults(const Tokens& tokens);
  void take_count(const Tokens::Count& count, std::uint64_t server);
  void take_in_flight(const Tokens::InFlight& in_flight);
  void take_value(const Tokens::Value& value, std::uint64_t server);
  void take_reached(const Tokens::Reached& reached, std::uint64_t server);
  std::int64_t epochs_before(std::uint32_t sampler, std::uint32_t object, std::uint64_t server,
                             const Step& step);
  void take_collected(const Tokens::Collected& collected);
  [[nodiscard]] std::uint32_t object_of(const Tokens::Object& object, Base base);
  [[nodiscard]] std::int64_t here(std::int64_t ns) const { return relation_.here(ns).ns; }

  const Definition* definition_;
  EventHistory* history_;
  Evaluator* evaluator_;
  std::map<std::uint32_t, std::uint64_t> servers_;                // by process
  std::map<std::uint64_t, std::pair<Said, ClockRelation>> said_;  // by server
  using Counted =
      std::tuple<std::uint32_t, std::uint32_t, std::optional<Partner>, std::optional<std::uint32_t>>;
  std::map<Counted, Total> totals_;                                   // by counter, thread, partner, region
  std::map<std::pair<std::uint32_t, std::uint32_t>, Epochs> epochs_;  // by sampler and object
  ClockRelation relation_;                                            // for the server whose tokens are taken
  std::uint64_t restarts_{0};
  std::uint64_t dropped_{0};
  std::uint64_t unmatched_{0};
  std::uint64_t given_up_{0};
  std::uint64_t repeated_{0};
};

}  // namespace eventspace::metrics
