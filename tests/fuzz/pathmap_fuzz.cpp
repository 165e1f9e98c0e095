// Reads any bytes as a pathmap, without loading shared objects. A refused pathmap has faults, each on one
// clean line.

#include "pathmaps/pathmap.h"
#include "tests/fuzz/fuzz.h"
#include "tests/pathmaps/pathmap_text.h"
#include "tuplespace/system/plain_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eventspace;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("include") != std::string_view::npos) return 0;  // it reads other files
  const LoadResult result = parse_plan(text, "input.yaml", {.load_libraries = false});
  if (result.plan.has_value() == !result.faults.empty()) std::abort();
  for (const Fault& fault : result.faults)
    if (!is_plain_text(to_string(fault))) std::abort();
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  return {
      PathmapText().text(),
      PathmapText()
          .scopes(
              "  s: {levels: [{group: all, wrappers: [merge, {filter: {where: \"duration > 20ms\"}}]}]}\n")
          .text(),
      content_of(std::filesystem::path(EVENTSPACE_EXAMPLES) / "windtunnel-one-process.yaml")};
}
