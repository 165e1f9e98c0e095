// Reads any bytes as the cached analysis of a module: the first byte selects whether they get a valid head,
// so that the data after the checksum are also read.

#include <algorithm>
#include <cstdlib>

#include "monitors/probing/analysis_cache/cache_format.h"
#include "tests/fuzz/fuzz.h"

using namespace eventspace;

namespace {

const AnalysisKey key_of_all{"a1", 7};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::copy(data, data + size, reinterpret_cast<std::uint8_t*>(bytes.data()));
  for (const bool is_sealed : {false, true}) {
    const auto analysis = analysis_in(is_sealed ? sealed(bytes) : bytes, key_of_all);
    if (!analysis) continue;
    if (!std::ranges::is_sorted(analysis->branches, {}, &EntryAnalysis::Branch::to) ||
        !std::ranges::is_sorted(analysis->table_targets))
      std::abort();
    if (analysis_in(to_bytes(key_of_all, *analysis), key_of_all) != *analysis) std::abort();
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  EntryAnalysis analysis;
  analysis.branches = {{0x1000, 0x1200, true}, {0x1200, 0x900, false}};
  analysis.table_targets = {0x1210, 0x1220};
  analysis.refused = {{0x1000, EntryRefusal::data}};
  const std::vector<std::byte> whole = to_bytes(key_of_all, analysis);
  const Bytes body = Bytes(whole).subspan(head_bytes);
  return {fuzz::text_of(whole), fuzz::text_of(body)};
}
