// A fuzz target (tests/fuzz): any text is metrics or has faults with positions in it, with the same result
// twice.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scopes/metrics/metric_library.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using eventspace::metrics::MetricLibrary;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  MetricLibrary library;
  const auto faults = library.add(text);
  const bool is_applied = faults.empty() == !library.metrics().empty();
  const auto lines = static_cast<std::size_t>(1 + std::ranges::count(text, '\n'));
  const bool is_placed = std::ranges::all_of(faults, [&](const auto& fault) {
    return fault.line <= lines && fault.column <= size + 1 && !fault.text.empty();
  });
  MetricLibrary again;
  if (!is_applied || !is_placed || again.add(text).size() != faults.size()) std::abort();
  return 0;
}
