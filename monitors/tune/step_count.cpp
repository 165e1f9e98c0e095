#include "monitors/tune/step_count.h"

#include <algorithm>
#include <map>
#include <utility>

#include "collectors/event_record.h"

namespace eventspace::tune {
namespace {

bool is_over(const View& view) {
  const bool none = view.processes.empty() &&
                    std::all_of(view.missing.begin(), view.missing.end(),
                                [](const Missing& m) { return m.cause == MissingCause::no_segment; });
  return none || (!view.processes.empty() &&
                  std::all_of(view.processes.begin(), view.processes.end(), [](const ProcessReport& process) {
                    return process.state == RunState::ended || process.state == RunState::dead;
                  }));
}

}  // namespace

StepReading StepCount::read() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point before = Clock::now();
  const View view = scope_.pull({});
  StepReading reading;
  reading.at = before + (Clock::now() - before) / 2;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint64_t> newest;
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    if (record.in_flight()) continue;
    std::uint64_t& sequence = newest[{record.path, record.point}];
    sequence = std::max(sequence, record.sequence);
  }
  for (const auto& [path, sequence] : newest) newest_[path] = sequence;
  for (const auto& [path, sequence] : newest_) reading.steps += sequence;
  if (!view.missing.empty()) {
    const Missing& first = view.missing.front();
    reading.missing =
        first.what + " (" + (first.detail.empty() ? std::string(to_string(first.cause)) : first.detail) + ")";
  }
  reading.over = is_over(view);
  return reading;
}

}  // namespace eventspace::tune
