// Reads any bytes as a message, and as the body of every kind. Link with a fuzzer's main
// (clang++ -fsanitize=fuzzer) to run it for long.

#include <cstdlib>

#include "tests/paths/wire/wire_talk.h"

using eventspace::Bytes;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes message = std::as_bytes(std::span(data, size));
  const auto parsed = eventspace::wire::parse_header(message, eventspace::test::most);
  const std::size_t times = parsed.times ? eventspace::wire::times_bytes : 0;
  if (!parsed.fault && parsed.body.size() + times + eventspace::wire::header_bytes != size) std::abort();
  eventspace::test::decode_as_everything(parsed.fault ? message : parsed.body);
  return 0;
}
