#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "tuplespace/tuple.h"

namespace eventspace::metrics {

/// The version of the form in which parts of metrics are sent to servers.
inline constexpr std::uint8_t graph_version = 2;

/// What a server evaluates for one client at the same time, at most; more are refused.
struct ServerPartBounds {
  static constexpr std::size_t nodes{2000};
  static constexpr std::size_t depth{200};
  static constexpr std::size_t lists{256};  ///< counters, samplers, variables, streams ...
  static constexpr std::size_t metrics{64};
};

/// Encodes what a server evaluates: version, parameters, variables, counters, samplers, the nodes of all
/// expressions (each after its operands), streams and collections.
std::vector<std::byte> encode(const ServerPart& part);

/// Decodes it, from a client that is not trusted: the result can be evaluated over any events, whatever was
/// sent. Throws ConfigurationError, with a text for the client.
ServerPart decode_server_part(Bytes bytes);

}  // namespace eventspace::metrics
