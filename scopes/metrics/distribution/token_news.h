#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/tokens.h"

namespace eventspace::metrics {

/// Decides whether tokens contain something that the front-end does not have yet: new counts, values or
/// threads, or a change since the last noted tokens in operations in flight, progress of objects, passed
/// probes, and values that were given up or lost. Not thread-safe.
class TokenNews {
 public:
  [[nodiscard]] bool is_in(const Tokens& tokens) const;
  /// The front-end gets the tokens.
  void note(const Tokens& tokens) { told_ = subscription_part_of(tokens); }
  /// The front-end may not have received the last tokens: their content is news again.
  void forget() { told_.reset(); }

 private:
  /// The state that every set of tokens repeats.
  struct SubscriptionPart {
    std::optional<std::uint32_t> process{};
    /// Counters and threads. Start times are left out: they vary with the error of the clock from poll to
    /// poll.
    std::vector<std::pair<std::uint32_t, Tokens::Object>> in_flight{};
    std::vector<Tokens::Reached> reached{};
    std::vector<Tokens::Passed> passed{};
    std::vector<Tokens::GivenUp> streams_given_up{};
    std::vector<Tokens::GivenUp> collections_given_up{};
    std::vector<Tokens::Dropped> dropped{};
    std::vector<Tokens::LeftOut> left_out{};
    friend bool operator==(const SubscriptionPart&, const SubscriptionPart&) = default;
  };
  static SubscriptionPart subscription_part_of(const Tokens& tokens);

  std::optional<SubscriptionPart> told_;
};

}  // namespace eventspace::metrics
