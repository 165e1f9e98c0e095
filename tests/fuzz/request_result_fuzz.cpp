// Results of conditional requests from servers: any bytes are refused, or are a result that survives encoding
// and decoding.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "scopes/requests/request_result.h"
#include "tests/fuzz/fuzz.h"

using namespace eventspace;

std::vector<std::string> fuzz::seeds() {
  const auto bytes = encode(RequestResult{0xfedc'ba98'7654'3210, 8, {1.5, 0.0}, {"cannot stop p0"}, 3});
  const auto empty = encode(RequestResult{});
  return {std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
          std::string(reinterpret_cast<const char*>(empty.data()), empty.size())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto result = decode_request_result(fuzz::bytes_of(data, size));
  if (result && !decode_request_result(encode(*result))) std::abort();
  return 0;
}
