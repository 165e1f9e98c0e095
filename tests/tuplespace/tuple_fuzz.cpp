// Decodes arbitrary bytes. Link it with a fuzzer's main (clang++ -fsanitize=fuzzer) for long runs.

#include <cstdlib>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/tuple.h>

using eventspace::Field;
using eventspace::Tuple;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  const Tuple tuple = Tuple::decode(std::as_bytes(std::span(data, size)));
  std::vector<Field> fields;
  for (std::size_t i = 0; i < tuple.field_count(); ++i) fields.push_back(tuple.field(i));
  if (tuple != Tuple::of(fields) || tuple.encoded().size() != size) std::abort();
  return 0;
} catch (const eventspace::ConfigurationError&) {
  return 0;
}
