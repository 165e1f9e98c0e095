// Reads any bytes as the cached analysis of a module: the first byte selects whether they get a valid head,
// so that the data after the checksum are also read.

#include <algorithm>
#include <cstdlib>

#include "monitors/probing/findings/finding_format.h"
#include "tests/fuzz/fuzz.h"

using namespace eventspace;

namespace {

const FoundIn module_of_all{"a1", 7};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::copy(data, data + size, reinterpret_cast<std::uint8_t*>(bytes.data()));
  for (const bool is_sealed : {false, true}) {
    const auto findings = findings_in(is_sealed ? sealed(bytes) : bytes, module_of_all);
    if (!findings) continue;
    if (!std::ranges::is_sorted(findings->branches, {}, &EntryFindings::Branch::to) ||
        !std::ranges::is_sorted(findings->table_targets))
      std::abort();
    if (findings_in(to_bytes(module_of_all, *findings), module_of_all) != *findings) std::abort();
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  EntryFindings findings;
  findings.branches = {{0x1000, 0x1200, true}, {0x1200, 0x900, false}};
  findings.table_targets = {0x1210, 0x1220};
  findings.refused = {{0x1000, EntryRefusal::data}};
  const std::vector<std::byte> whole = to_bytes(module_of_all, findings);
  const Bytes body = Bytes(whole).subspan(head_bytes);
  return {fuzz::text_of(whole), fuzz::text_of(body)};
}
