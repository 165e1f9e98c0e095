#pragma once

// Private to scopes/.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/tokens.h"

namespace eventspace::metrics {

/// Judges whether tokens tell the front-end something that the tokens before did not: counts, values,
/// threads, or, where they are not the same as in the last tokens that told them, operations in flight, how
/// far objects have come, probes that were passed, and what was given up or lost. Not thread-safe.
class TokenNews {
 public:
  [[nodiscard]] bool is_in(const Tokens& tokens) const;
  /// The front-end gets the tokens.
  void note(const Tokens& tokens) { told_ = standing_part_of(tokens); }
  /// The front-end may not have got the last ones: what they told is news again.
  void forget() { told_.reset(); }

 private:
  /// What each of the tokens tells anew.
  struct StandingPart {
    std::optional<std::uint32_t> process{};
    /// Counters and threads. Since when, differs by the error of the clock from look to look.
    std::vector<std::pair<std::uint32_t, Tokens::Object>> in_flight{};
    std::vector<Tokens::Reached> reached{};
    std::vector<Tokens::Passed> passed{};
    std::vector<Tokens::GivenUp> streams_given_up{};
    std::vector<Tokens::GivenUp> collections_given_up{};
    std::vector<Tokens::Dropped> dropped{};
    std::vector<Tokens::LeftOut> left_out{};
    friend bool operator==(const StandingPart&, const StandingPart&) = default;
  };
  static StandingPart standing_part_of(const Tokens& tokens);

  std::optional<StandingPart> told_;
};

}  // namespace eventspace::metrics
