#include "monitors/budget/overhead_model.h"

#include <algorithm>

namespace eventspace {

Range& Range::operator+=(const Range& other) noexcept {
  low += other.low;
  high += other.high;
  return *this;
}

namespace {

Range cost_of(double recorded, double unrecorded, std::uint32_t period, const RecordCosts& costs) noexcept {
  Range cost = costs.recorded * recorded;
  if (period == CollectSwitch::everything) return cost;
  cost += (period == CollectSwitch::off ? costs.off : costs.counted) * std::max(unrecorded, 0.0);
  return cost;
}

}  // namespace

Range cost_of(const ClassLoad& load, std::uint32_t period, const RecordCosts& costs) noexcept {
  const double recorded = period == CollectSwitch::off ? 0 : load.events / period;
  return cost_of(recorded, load.events - recorded, period, costs);
}

std::vector<ClassLoad> summed(const std::vector<ClassLoad>& loads) {
  std::vector<ClassLoad> sums;
  for (const ClassLoad& load : loads) {
    const auto same = std::ranges::find_if(sums, [&load](const ClassLoad& sum) {
      return sum.of == load.of && sum.period == load.period && sum.least_period == load.least_period &&
             sum.is_fixed == load.is_fixed;
    });
    if (same == sums.end()) {
      sums.push_back(load);
    } else {
      same->recorded += load.recorded;
      same->events += load.events;
    }
  }
  return sums;
}

Overhead overhead_of(const LookCounts& counts, const RecordCosts& costs) noexcept {
  Overhead overhead;
  for (const ClassLoad& load : counts.classes)
    overhead.records += cost_of(load.recorded, load.events - load.recorded, load.period, costs);
  overhead.watching = static_cast<double>(counts.watching_cpu.count());
  overhead.of = static_cast<double>(counts.recording_cpu.count());
  return overhead;
}

}  // namespace eventspace
