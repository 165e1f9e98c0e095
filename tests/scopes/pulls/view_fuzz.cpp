// Decodes any bytes as the body of a reply to a pull, and as the body of a part. Link with a fuzzer's main
// (clang++ -fsanitize=fuzzer) to run it for long.

#include <span>

#include "tests/scopes/pulls/view_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const eventspace::Bytes body = std::as_bytes(std::span(data, size));
  (void)eventspace::read_view(body);
  (void)eventspace::read_record_part({nullptr, body});
  return 0;
}
