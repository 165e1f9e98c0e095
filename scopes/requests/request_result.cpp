#include "scopes/requests/request_result.h"

#include "scopes/requests/request_result_layout.h"

namespace eventspace {

std::vector<std::byte> encode(const RequestResult& result) { return wire::encoded(result); }

std::optional<RequestResult> decode_request_result(Bytes bytes) {
  return wire::decoded<RequestResult>(bytes);
}

}  // namespace eventspace
