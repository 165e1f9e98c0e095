#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <eventspace/tuple.h>
#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/shared_parts.h"
#include "scopes/metrics/language/syntax.h"

namespace eventspace::metrics {

/// The version of the encoding of descriptions that are sent to servers.
inline constexpr std::uint8_t description_version = 3;

/// What is measured, as the front-end sends it to servers: the text of the metrics, and the choices of the
/// user. Front-end and servers make the same parts from it, because parsing, define(), divide() and
/// SharedParts are pure. Plain data.
struct PartsDescription {
  struct Pattern {
    std::uint32_t parameter{0};
    std::string glob;
  };
  struct Measured {
    std::string text;  ///< of the metric, which is the last one in it, and of the metrics that it uses
    std::vector<std::uint32_t> each{};  ///< as in define()
    std::vector<Pattern> objects{};
    CutRegions cut{CutRegions::partly};
  };

  static constexpr std::size_t max_text = longest_file;  ///< of all metrics, in bytes
  static constexpr std::size_t max_metrics = 256;
  static constexpr std::size_t max_nodes = 128'000;  ///< of the definitions of all metrics
  /// Nodes that are put in for all metrics, equal ones too. The last metric may exceed it by
  /// Definition::max_steps.
  static constexpr std::size_t max_steps = Definition::max_steps;

  std::vector<Measured> metrics{};
  std::int64_t start_ns{0};      ///< as in ServerPart
  std::uint64_t fingerprint{0};  ///< of the parts that the front-end made
};

/// Describes the metrics whose parts are `shared`. They begin together. Pure.
PartsDescription description_of(const std::vector<ServerPart>& of_metrics, const SharedParts& shared);

/// Makes the parts again. The description may come from an untrusted client: its texts may be anything; time,
/// memory and stack have bounds. Pure. Throws ConfigurationError, with a text for the client, if a text has a
/// fault, if the parts are more than a server takes, or if they differ from the client's.
std::vector<ServerPart> parts_of(const PartsDescription& description);

std::vector<std::byte> encode(const PartsDescription& description);
/// Throws ConfigurationError, with a text for the client, if the bytes are malformed or have another version.
PartsDescription decode_description(Bytes bytes);

}  // namespace eventspace::metrics
