#include "tests/fuzz/fuzz.h"

std::vector<std::string> eventspace::fuzz::seeds() {
  const std::vector<std::byte> blob(300);
  const Tuple all = Tuple::of({true, std::int64_t{-70000}, 1.5, "text", Bytes(blob)});
  return {text_of(all.encoded()), text_of(Tuple::of({std::int64_t{5}}).encoded()),
          text_of(Tuple().encoded())};
}
