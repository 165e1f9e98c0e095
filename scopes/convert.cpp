#include "scopes/convert.h"

#include "collectors/event_record.h"
#include "scopes/record_processes.h"

namespace eventspace {
namespace {

struct Conversion {
  bool clock{false};
  bool format{false};
};

std::uint64_t reference_time(const ClockCalibration& clock, std::uint64_t ticks) noexcept {
  return static_cast<std::uint64_t>(clock.to_realtime_ns(ticks));
}

void convert_times(TraceTuple& tuple, const EventRecord& record, const ClockCalibration& clock) noexcept {
  EventRecord converted = record;
  converted.start = reference_time(clock, record.start);
  if (!record.in_flight()) converted.end = reference_time(clock, record.end);
  tuple = encode(converted);
}

class ConvertOperator final : public ViewOperator {
 public:
  ConvertOperator(Conversion conversion, const PlanNames& names) noexcept
      : conversion_(conversion), processes_(names) {}

  void apply(View& view) override {
    if (conversion_.clock) convert_clocks(view);
    if (conversion_.format) view.sent_in = ByteOrder::little;
  }

 private:
  // Records first: they need the reports as they came.
  void convert_clocks(View& view) {
    processes_.learn(view);
    view.loss.filtered += std::erase_if(
        view.records, [this](const TraceTuple& tuple) { return processes_.of(decode(tuple)) == nullptr; });
    for (TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      const ClockCalibration& clock = processes_.of(record)->clock;
      if (clock.source != ClockSource::realtime) convert_times(tuple, record, clock);
    }
    for (ProcessReport& process : view.processes) {
      if (process.clock.source == ClockSource::realtime) continue;
      process.now_ticks = reference_time(process.clock, process.now_ticks);
      process.clock = process.clock.as_realtime();
    }
  }

  Conversion conversion_;
  RecordProcesses processes_;
};

ParameterSpec choice_spec(std::string name, const std::string& choice, std::string help) {
  ParameterSpec spec{std::move(name), ParameterKind::text};
  spec.default_value = choice;
  spec.choices = {choice, "native"};
  spec.help = std::move(help);
  return spec;
}

}  // namespace

ScopeWrapperInfo convert_wrapper() {
  return {"convert",
          "makes records of different machines alike",
          false,
          {choice_spec("clock", "reference",
                       "what times count: ticks of each process, or nanoseconds since 1970"),
           choice_spec("format", "common",
                       "byte order in which records are sent on: this machine's, or little-endian")},
          [](const Parameters& given, const PlanNames& names) {
            return std::make_unique<ConvertOperator>(
                Conversion{parameter<std::string>(given, "clock") == "reference",
                           parameter<std::string>(given, "format") == "common"},
                names);
          }};
}

}  // namespace eventspace
