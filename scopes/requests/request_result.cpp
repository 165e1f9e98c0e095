#include "scopes/requests/request_result.h"

#include "paths/wire/msgpack_body.h"
#include "scopes/requests/request_wrapper.h"

namespace eventspace {
namespace {

using msgpack_body::Body;
using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::Packer;

RequestResult read_result(Entries& entries) {
  RequestResult result;
  result.server = entries.integer<std::uint64_t>();
  result.matches = entries.integer<std::uint64_t>();
  Entries sums = entries.array();
  if (sums.left() > max_request_actions) throw BodyError();
  while (sums.more()) result.sums.push_back(sums.real());
  Entries troubles = entries.array();
  if (troubles.left() > RequestResult::max_troubles) throw BodyError();
  while (troubles.more()) {
    result.troubles.emplace_back(troubles.text());
    if (result.troubles.back().size() > RequestResult::longest_trouble) throw BodyError();
  }
  result.more_troubles = entries.integer<std::uint64_t>();
  entries.expect_end();
  return result;
}

}  // namespace

std::vector<std::byte> encode(const RequestResult& result) {
  std::vector<std::byte> bytes;
  msgpack_body::pack_into(bytes, [&](Packer& packer) {
    packer.pack_array(6);
    packer.pack(request_result_version);
    packer.pack(result.server);
    packer.pack(result.matches);
    packer.pack_array(static_cast<std::uint32_t>(result.sums.size()));
    for (const double sum : result.sums) msgpack_body::pack_real(packer, sum);
    packer.pack(result.troubles);
    packer.pack(result.more_troubles);
  });
  return bytes;
}

std::optional<RequestResult> decode_request_result(Bytes bytes) {
  try {
    Body body(bytes);
    Entries entries(body);
    if (entries.integer<std::uint8_t>() != request_result_version) return std::nullopt;
    RequestResult result = read_result(entries);
    body.expect_end();
    return result;
  } catch (const BodyError&) {
    return std::nullopt;
  }
}

}  // namespace eventspace
