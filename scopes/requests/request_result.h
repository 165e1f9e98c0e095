#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuplespace/tuple.h"

namespace eventspace {

/// What a conditional request has come to at one server since that began to evaluate it. Plain data.
struct RequestResult {
  /// A number of the evaluation: another one if the server was started anew, and counts from 0 again.
  std::uint64_t server{0};
  std::uint64_t matches{0};
  std::vector<double> sums{};  ///< of each action, in their order; 0 of those that sum up nothing
  /// What could not be done since the last view that arrived, as sentences; at most `most_troubles`.
  std::vector<std::string> troubles{};
  std::uint64_t more_troubles{0};  ///< beyond these

  static constexpr std::size_t most_troubles = 16;
  static constexpr std::size_t longest_trouble = 1000;  ///< in bytes
  friend bool operator==(const RequestResult&, const RequestResult&) = default;
};

/// The version of the form in which servers send results.
inline constexpr std::uint8_t request_result_version = 1;

/// Encodes a result as the body of a ViewParcel.
std::vector<std::byte> encode(const RequestResult& result);
/// Decodes it, from a server that is not trusted. None: the body is malformed, or of another version.
std::optional<RequestResult> decode_request_result(Bytes body);

}  // namespace eventspace
