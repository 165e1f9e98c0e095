// Reads any bytes as a message, and as the envelope of every kind. Link with a fuzzer's main
// (clang++ -fsanitize=fuzzer) to run it for long.

#include <cstdlib>

#include "tests/paths/wire/wire_talk.h"

using eventspace::Bytes;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes message = std::as_bytes(std::span(data, size));
  const auto parsed = eventspace::wire::parse_header(message, eventspace::test::most);
  const std::size_t times = parsed.times ? eventspace::wire::times_bytes : 0;
  const std::size_t whole =
      eventspace::wire::header_bytes + times + parsed.envelope.size() + parsed.body.size();
  if (!parsed.fault && whole != size) std::abort();
  eventspace::test::decode_as_everything(parsed.fault ? message : parsed.envelope);
  return 0;
}
