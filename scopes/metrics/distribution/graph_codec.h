#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "tuplespace/tuple.h"

namespace eventspace::metrics {

/// The version of the encoding of parts of metrics that are sent to servers.
inline constexpr std::uint8_t graph_version = 2;

/// The most that a server evaluates for one client at the same time; it refuses more.
struct ServerPartBounds {
  static constexpr std::size_t nodes{2000};
  static constexpr std::size_t depth{200};
  static constexpr std::size_t lists{256};  ///< counters, samplers, variables, streams ...
  static constexpr std::size_t metrics{64};
};

/// Encodes the part that a server evaluates: version, parameters, variables, counters, samplers, the nodes of
/// all expressions (each after its operands), streams and collections.
std::vector<std::byte> encode(const ServerPart& part);

/// Decodes a part from an untrusted client. Whatever the client sent, the result can be evaluated over any
/// events. Throws ConfigurationError, with a text for the client.
ServerPart decode_server_part(Bytes bytes);

}  // namespace eventspace::metrics
