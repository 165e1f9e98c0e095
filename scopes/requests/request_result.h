#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/tuple.h>

namespace eventspace {

/// The result of a conditional request at one server since it began to evaluate the request. Plain data.
struct RequestResult {
  /// A number of the evaluation. A restarted server has another number, and counts from 0 again.
  std::uint64_t server{0};
  std::uint64_t matches{0};
  std::vector<double> sums{};  ///< for each action, in order; 0 for actions without a sum
  /// Failures since the last view that arrived, as sentences; at most `max_troubles`.
  std::vector<std::string> troubles{};
  std::uint64_t more_troubles{0};  ///< further failures

  static constexpr std::size_t max_troubles = 16;
  static constexpr std::size_t longest_trouble = 1000;  ///< in bytes
  friend bool operator==(const RequestResult&, const RequestResult&) = default;
};

/// The version of the encoding of the results that servers send.
inline constexpr std::uint8_t request_result_version = 1;

/// Encodes a result as the body of a ViewParcel.
std::vector<std::byte> encode(const RequestResult& result);
/// Decodes a result from an untrusted server. Returns nothing if the body is malformed, or of another
/// version.
std::optional<RequestResult> decode_request_result(Bytes body);

}  // namespace eventspace
