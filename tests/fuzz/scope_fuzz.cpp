// Reads any bytes as the spec of a part of a scope. An accepted spec is the same after it is sent again.

#include <eventspace/error.h>
#include "pathmaps/pathmap.h"
#include "scopes/tree/scope_codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/pathmaps/pathmap_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  const eventspace::ScopeTree tree = eventspace::decode_scope_tree(eventspace::fuzz::bytes_of(data, size));
  const auto again = eventspace::encode(tree);
  if (eventspace::encode(eventspace::decode_scope_tree(again)) != again) std::abort();
  return 0;
} catch (const eventspace::ConfigurationError&) {
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  const auto loaded =
      parse_plan(PathmapText()
                     .scopes("  a: {levels: [{group: all, wrapper: gather}, {group: thread, wrapper: "
                             "{reduce: {keep: latest}}}]}\n"
                             "  b: {read: since, since: 3s, probes: true, levels: [{group: all, wrappers: "
                             "[merge, {filter: {where: "
                             "\"duration > 20ms\", rate: 100}}, convert]}, {group: node, wrapper: "
                             "{aggregate: {of: bytes, as: "
                             "histogram, by: thread}}, late: {skip: 3s}, ask: {threads: 3}}]}\n")
                     .text(),
                 "seeds");
  for (const Fault& fault : loaded.faults) throw std::runtime_error(to_string(fault));
  std::vector<std::string> seeds;
  for (const ScopeTree& tree : loaded.plan->scopes) seeds.push_back(text_of(encode(tree)));
  return seeds;
}
