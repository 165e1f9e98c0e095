// recording_floor: prints the nanoseconds of the recording floor (bench/collectors/floor.h) on this machine,
// the median over a thousand turns of a thousand operations, as the group `collectors` measures it.
#include "bench/collectors/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bench/collectors/recorded_path.h"

namespace eventspace::bench {
namespace {

constexpr std::size_t turns = 1000;
constexpr std::size_t operations = 1000;

double floor_ns() {
  BareRing ring;
  DoNothing nothing;
  Operation operation = write_operation();
  std::vector<double> took;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const auto begun = std::chrono::steady_clock::now();
    record_by_hand<Counter>(ring, nothing, operation, operations);
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begun;
    took.push_back(elapsed.count() / static_cast<double>(operations));
  }
  const auto middle = took.begin() + turns / 2;
  std::nth_element(took.begin(), middle, took.end());
  return *middle;
}

}  // namespace
}  // namespace eventspace::bench

int main() { fmt::print("{}\n", eventspace::bench::floor_ns()); }
