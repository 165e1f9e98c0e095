// The cost of ordering the events of several children, each already in order, by time: merging their runs,
// compared with std::sort of all events. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "collectors/event_record.h"
#include "scopes/wrappers/record_order.h"

namespace eventspace::bench {
namespace {

constexpr std::size_t events_of_each = 200;

// Returns the joined views of `children` children, whose events overlap in time.
std::vector<TraceTuple> views_of(std::size_t children) {
  std::mt19937_64 random(7);
  std::vector<TraceTuple> records;
  for (std::size_t child = 0; child < children; ++child) {
    std::uint64_t now = random() % 1000;
    for (std::size_t i = 0; i < events_of_each; ++i) {
      EventRecord record;
      record.sequence = i + 1;
      record.start = now;
      record.end = now += 1 + random() % 2000;
      record.status = Status::ok;
      records.push_back(encode(record));
    }
  }
  return records;
}

std::vector<TraceTuple> sorted(const std::vector<TraceTuple>& records) {
  std::vector<std::pair<std::uint64_t, std::size_t>> places;
  places.reserve(records.size());
  for (const TraceTuple& record : records) places.emplace_back(decode(record).end, places.size());
  std::sort(places.begin(), places.end());
  std::vector<TraceTuple> result;
  result.reserve(records.size());
  for (const auto& [end, place] : places) result.push_back(records[place]);
  return result;
}

void Merge(benchmark::State& state, std::size_t children) {
  const auto views = views_of(children);
  while (state.KeepRunning()) {
    auto records = views;
    put_in_order(records, {});
    benchmark::DoNotOptimize(records.data());
  }
}

void Sort(benchmark::State& state, std::size_t children) {
  const auto views = views_of(children);
  while (state.KeepRunning()) {
    auto records = views;
    records = sorted(records);
    benchmark::DoNotOptimize(records.data());
  }
}

const bool orders_registered = [] {
  for (const std::size_t children : {2, 16, 140}) {
    const auto add = [&](const char* side, auto run) {
      const std::string name = fmt::format("order the events of {} children/{}", children, side);
      benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMicrosecond);
    };
    add("ours", [=](benchmark::State& state) { Merge(state, children); });
    add("std::sort", [=](benchmark::State& state) { Sort(state, children); });
  }
  return true;
}();

}  // namespace
}  // namespace eventspace::bench
