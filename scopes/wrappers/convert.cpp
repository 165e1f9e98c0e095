#include "scopes/wrappers/convert.h"

#include "collectors/record_header.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {
namespace {

enum class TargetClock : std::uint8_t { native, reference, synchronised };

struct Conversion {
  TargetClock clock{TargetClock::native};
  bool format{false};
};

TargetClock target_clock(const std::string& name) {
  if (name == "native") return TargetClock::native;
  return name == "reference" ? TargetClock::reference : TargetClock::synchronised;
}

/// Converts to nanoseconds since 1970 by each node's clock.
struct ToReference {
  static bool concerns(const ProcessReport& process) noexcept {
    return process.clock.source != ClockSource::realtime;
  }
  static bool can_tell(const ProcessReport& /*process*/) noexcept { return true; }
  static std::uint64_t time(const ProcessReport& process, std::uint64_t ticks) noexcept {
    return static_cast<std::uint64_t>(process.clock.to_realtime_ns(ticks));
  }
  static void convert(ProcessReport& process) noexcept {
    process.now_ticks = time(process, process.now_ticks);
    process.clock = process.clock.as_realtime();
  }
};

/// Converts to nanoseconds of the local clock.
struct ToSynchronised {
  static bool concerns(const ProcessReport& /*process*/) noexcept { return true; }
  static bool can_tell(const ProcessReport& process) noexcept { return process.relation.known; }
  static std::uint64_t time(const ProcessReport& process, std::uint64_t ticks) noexcept {
    return static_cast<std::uint64_t>(process.here(ticks).ns) + synchronised_epoch;
  }
  // The moment of the pull keeps its time since 1970, and the moment of the calibration its place among the
  // events: RecordProcesses chooses a run by it.
  static void convert(ProcessReport& process) noexcept {
    const ClockCalibration before = process.clock;
    const std::uint64_t now = time(process, process.now_ticks);
    ClockCalibration& clock = process.clock;
    clock = {ClockSource::synchronised, 0, time(process, before.ticks), 0, 0, 1.0, before.error_ppm};
    clock.monotonic_ns = clock.ticks - synchronised_epoch;
    clock.realtime_ns =
        static_cast<std::uint64_t>(before.to_realtime_ns(process.now_ticks)) - (now - clock.ticks);
    process.now_ticks = now;
    process.now_monotonic_ns = static_cast<std::int64_t>(now - synchronised_epoch);
    process.rate_ppm = 0;
    process.relation = process.relation.of_times_here();
  }
};

class ConvertOperator final : public ViewOperator {
 public:
  ConvertOperator(Conversion conversion, const PlanNames& names) noexcept
      : conversion_(conversion), processes_(names) {}

  void apply(View& view) override {
    if (conversion_.clock == TargetClock::reference) convert_clocks<ToReference>(view);
    if (conversion_.clock == TargetClock::synchronised) convert_clocks<ToSynchronised>(view);
    if (conversion_.format) view.sent_in = ByteOrder::little;
  }

 private:
  // Converts the records first, because that needs the reports before their conversion.
  template <class To>
  void convert_clocks(View& view) {
    processes_.learn(view);
    view.loss.filtered += erase_if(view.records, [this](const TraceTuple& tuple) {
      const ProcessReport* const process = processes_.of(header_of(tuple));
      return process == nullptr || !To::can_tell(*process);
    });
    for (TraceTuple& tuple : view.records) {
      const RecordHeader record = header_of(tuple);
      const ProcessReport& process = *processes_.of(record);
      if (!To::concerns(process)) continue;
      tuple.words[1] = To::time(process, record.start);
      if (!record.in_flight()) tuple.words[4] = To::time(process, record.end);
    }
    for (ProcessReport& process : view.processes) {
      if (!To::concerns(process) || !To::can_tell(process)) continue;
      for (TraceTuple& tuple : process.in_flight) tuple.words[1] = To::time(process, tuple.words[1]);
      if (process.complete_ticks != ProcessReport::all_ticks)
        process.complete_ticks = To::time(process, process.complete_ticks);
      To::convert(process);
    }
  }

  Conversion conversion_;
  RecordProcesses processes_;
};

ParameterSpec choice_spec(std::string name, std::vector<std::string> choices, std::string help) {
  ParameterSpec spec{std::move(name), ParameterKind::text};
  spec.default_value = choices.front();
  spec.choices = std::move(choices);
  spec.help = std::move(help);
  return spec;
}

}  // namespace

ScopeWrapperInfo convert_wrapper() {
  return {
      "convert",
      "makes records of different machines comparable",
      false,
      {choice_spec("clock", {"reference", "synchronised", "native"},
                   "unit of times: nanoseconds since 1970 by each node's clock (reference), nanoseconds of "
                   "the clock where the wrapper runs (synchronised), or ticks of each process (native)"),
       choice_spec("format", {"common", "native"},
                   "byte order in which records are sent on: little-endian, or this machine's")},
      [](const Parameters& given, const PlanNames& names) {
        return std::make_unique<ConvertOperator>(
            Conversion{target_clock(parameter<std::string>(given, "clock")),
                       parameter<std::string>(given, "format") == "common"},
            names);
      }};
}

}  // namespace eventspace
