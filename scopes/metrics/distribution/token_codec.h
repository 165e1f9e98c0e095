#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <eventspace/tuple.h>
#include "scopes/metrics/evaluation/tokens.h"

namespace eventspace::metrics {

/// The version of the encoding of the tokens that servers send.
inline constexpr std::uint8_t token_version = 5;

/// Encodes tokens as the body of a ViewParcel.
std::vector<std::byte> encode(const Tokens& tokens);

/// Decodes tokens from an untrusted server. Returns nothing if the body is malformed or has another version.
std::optional<Tokens> decode_tokens(Bytes body);

}  // namespace eventspace::metrics
