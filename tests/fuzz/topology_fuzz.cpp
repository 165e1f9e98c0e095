// Reads any text as a topology and as a list of hosts. A tree that is read, written out and read again is the
// same.

#include <eventspace/topology.h>

#include <eventspace/error.h>
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eventspace;
  const std::string text = fuzz::text_of(fuzz::bytes_of(data, size));
  try {
    (void)streams::parse_hosts(text);
  } catch (const ConfigurationError&) {
  }
  const auto parsed = streams::Topology::parse(text);
  const auto* const tree = std::get_if<streams::Topology>(&parsed);
  if (tree == nullptr || tree->size() > 10'000) return 0;
  const std::string written = tree->to_text();
  if (streams::Topology::of_text(written).to_text() != written) std::abort();
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  return {"flat:16",       "8x8x4",
          "4^3",           "kary:8:200",
          "2@32",          "generic:2:4,3",
          "n[1-3,07].s b", "login.site:0 => n1:0 n2:0 ; # two\nn1:0 => n1:1 n1:2 ;\n"};
}
