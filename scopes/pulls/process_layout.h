#pragma once

// The fields of a ProcessReport in a message.

#include "collectors/switching/switch_layout.h"
#include "paths/views/view.h"
#include "paths/wire/clock_relation_layout.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

template <>
struct Layout<ClockCalibration>
    : Array<ClockCalibration,
            Field<&ClockCalibration::source, OneOf<ClockSource::monotonic, ClockSource::synchronised>>,
            Unsent<&ClockCalibration::reserved>, Field<&ClockCalibration::ticks>,
            Field<&ClockCalibration::monotonic_ns>, Field<&ClockCalibration::realtime_ns>,
            Field<&ClockCalibration::ns_per_tick>, Field<&ClockCalibration::error_ppm>> {
  static void check(const ClockCalibration& clock) {
    if (!clock.is_sound()) throw BodyError();
  }
};

template <>
struct Layout<ThreadReport> : Array<ThreadReport, Field<&ThreadReport::thread>, Field<&ThreadReport::tid>,
                                    Field<&ThreadReport::state, Octet>, Field<&ThreadReport::cpu_ns>> {};

struct Load {
  static constexpr double least = 0;
  static constexpr double most = 1e9;
};
template <>
struct Layout<ProcessUsage>
    : Array<ProcessUsage, Field<&ProcessUsage::cpu_ns>, Field<&ProcessUsage::memory_bytes>,
            Field<&ProcessUsage::voluntary_switches>, Field<&ProcessUsage::involuntary_switches>,
            Field<&ProcessUsage::node_load, RealIn<Load>>,
            Field<&ProcessUsage::node_processors, Between<1U, greatest<std::uint32_t>>>> {};

/// The words 1 to 3 of a record in flight; the others are 0.
struct WordsInFlight {
  static constexpr std::string_view name = "words 1 to 3";
  static constexpr std::size_t entries = 3;
  template <class T>
  static constexpr SizeBounds bounds{entries, entries * 9};

  static constexpr std::size_t count(const TraceTuple& /*record*/) noexcept { return entries; }
  template <class Sink>
  static void write(Sink sink, const TraceTuple& record) {
    for (const std::size_t word : {1, 2, 3}) sink.integer(record.words[word]);
  }
  template <class Source>
  static void read(Source& source, TraceTuple& record) {
    for (const std::size_t word : {1, 2, 3}) record.words[word] = source.template integer<std::uint64_t>();
  }
};

struct RatePpm {
  static constexpr double least = DriftPpm::least;
  static constexpr double most = ProcessReport::max_ppm;
};
struct RateErrorPpm {
  static constexpr double least = 0;
  static constexpr double most = ProcessReport::max_ppm;
};

/// The numbers are one block of words, because each pull sends them for each process. Impossible values are
/// refused: negative bounds, rates that are not finite, a load below 0, or no processors.
template <>
struct Layout<ProcessReport>
    : Array<ProcessReport,
            Block<Field<&ProcessReport::process>, Field<&ProcessReport::pid>,
                  Field<&ProcessReport::start_ticks>,
                  Field<&ProcessReport::state, OneOf<RunState::running, RunState::unknown>>,
                  Field<&ProcessReport::now_ticks>, Field<&ProcessReport::clock, Flattened>,
                  Field<&ProcessReport::now_monotonic_ns>, Field<&ProcessReport::now_error_ns, NotNegative>,
                  Field<&ProcessReport::rate_ppm, RealIn<RatePpm>>,
                  Field<&ProcessReport::rate_error_ppm, RealIn<RateErrorPpm>>,
                  Field<&ProcessReport::relation, Flattened>, Field<&ProcessReport::followed>,
                  Field<&ProcessReport::complete_ticks>>,
            Field<&ProcessReport::threads, List<Flattened>>, Field<&ProcessReport::collecting>,
            Field<&ProcessReport::in_flight, List<WordsInFlight>>,
            Field<&ProcessReport::usage, Trailing<WordBlock>>> {};

}  // namespace eventspace::wire
