#include "scopes/metrics/distribution/shared_parts.h"

#include <utility>

#include "scopes/metrics/distribution/joined_parts.h"
#include "scopes/metrics/distribution/server_part_bounds.h"
#include "scopes/metrics/distribution/token_codec.h"

namespace eventspace::metrics {
namespace {

/// Appends the tokens that are for a requester, with the requester's number in `member`.
template <class Token>
void route(const std::vector<Token>& tokens, std::uint32_t Token::*member, const Requester::Numbers& numbers,
           std::vector<Token>& routed) {
  for (const Token& token : tokens) {
    const auto own = numbers.find(token.*member);
    if (own == numbers.end()) continue;
    routed.push_back(token);
    routed.back().*member = own->second;
  }
}

}  // namespace

Tokens routed(const Tokens& tokens, const Requester& requester) {
  Tokens own;
  own.metric = requester.metric;
  own.server = tokens.server;
  own.process = tokens.process;
  own.threads = tokens.threads;
  route(tokens.counts, &Tokens::Count::counter, requester.counters, own.counts);
  route(tokens.in_flight, &Tokens::InFlight::counter, requester.counters, own.in_flight);
  route(tokens.values, &Tokens::Value::sampler, requester.samplers, own.values);
  route(tokens.reached, &Tokens::Reached::sampler, requester.samplers, own.reached);
  route(tokens.passed, &Tokens::Passed::sampler, requester.samplers, own.passed);
  route(tokens.collected, &Tokens::Collected::collection, requester.collections, own.collected);
  route(tokens.streams_given_up, &Tokens::GivenUp::number, requester.samplers, own.streams_given_up);
  route(tokens.collections_given_up, &Tokens::GivenUp::number, requester.collections,
        own.collections_given_up);
  route(tokens.dropped, &Tokens::Dropped::sampler, requester.samplers, own.dropped);
  route(tokens.left_out, &Tokens::LeftOut::counter, requester.counters, own.left_out);
  return own;
}

SharedParts::SharedParts(const std::vector<ServerPart>& of_metrics) {
  std::map<CutRegions, std::vector<std::uint32_t>> alike;
  for (std::uint32_t i = 0; i < of_metrics.size(); ++i) alike[of_metrics[i].cut].push_back(i);
  for (const auto& [cut, metrics] : alike) add(of_metrics, metrics);
}

void SharedParts::add(const std::vector<ServerPart>& of_metrics, const std::vector<std::uint32_t>& metrics) {
  JoinedParts joined;
  for (const std::uint32_t metric : metrics) joined.add(of_metrics[metric], metric);
  auto [whole, requesters] = joined.take();
  if (metrics.size() == 1 || fits_a_server(whole)) {
    parts_.push_back(std::move(whole));
    requesters_.push_back(std::move(requesters));
    return;
  }
  for (const std::uint32_t metric : metrics) add(of_metrics, {metric});
}

std::size_t SharedParts::deliver(const View& view, const std::vector<Measurement*>& measurements) const {
  std::size_t refused = 0;
  for (const ViewParcel& parcel : view.parcels) {
    if (parcel.of != ViewParcel::Of::metric) continue;
    const auto tokens = decode_tokens(parcel.body);
    if (!tokens || tokens->metric >= requesters_.size()) {
      ++refused;
      continue;
    }
    for (const Requester& requester : requesters_[tokens->metric])
      measurements[requester.metric]->take(routed(*tokens, requester), view);
  }
  return refused;
}

}  // namespace eventspace::metrics
