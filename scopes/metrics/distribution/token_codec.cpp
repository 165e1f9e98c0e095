#include "scopes/metrics/distribution/token_codec.h"

#include "scopes/metrics/distribution/token_layout.h"

namespace eventspace::metrics {

std::vector<std::byte> encode(const Tokens& tokens) { return wire::encoded(tokens); }

std::optional<Tokens> decode_tokens(Bytes body) { return wire::decoded<Tokens>(body); }

}  // namespace eventspace::metrics
