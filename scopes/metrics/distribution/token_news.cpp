#include "scopes/metrics/distribution/token_news.h"

#include <utility>

namespace eventspace::metrics {

bool TokenNews::is_in(const Tokens& tokens) const {
  const bool has_new = !tokens.threads.empty() || !tokens.counts.empty() || !tokens.values.empty() ||
                       !tokens.collected.empty();
  return has_new || told_ != subscription_part_of(tokens);
}

TokenNews::SubscriptionPart TokenNews::subscription_part_of(const Tokens& tokens) {
  std::vector<std::pair<std::uint32_t, Tokens::Object>> in_flight;
  for (const Tokens::InFlight& each : tokens.in_flight) in_flight.emplace_back(each.counter, each.of);
  return {tokens.process,          std::move(in_flight),        tokens.reached, tokens.passed,
          tokens.streams_given_up, tokens.collections_given_up, tokens.dropped, tokens.left_out};
}

}  // namespace eventspace::metrics
