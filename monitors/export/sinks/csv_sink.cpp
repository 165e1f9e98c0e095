#include "monitors/export/sinks/csv_sink.h"

#include <fmt/format.h>

#include <iterator>
#include <type_traits>
#include <variant>

#include "monitors/export/sinks/output_file.h"
#include "monitors/text/code_places.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/saturating.h"

namespace eventspace::exports {
namespace {

std::vector<FieldReader> columns_of_csv() {
  std::vector<FieldReader> columns;
  for (const EventField& field : EventKinds::instance().fields()) {
    const FieldSource source = field.source;
    if (source == FieldSource::stored || source == FieldSource::kind || source == FieldSource::process ||
        source == FieldSource::node)
      columns.emplace_back(field.name);
  }
  return columns;
}

class CsvSink final : public Sink {
 public:
  explicit CsvSink(const std::filesystem::path& file) : file_(file), columns_(columns_of_csv()) {}

  void begin(const Recorded& recorded) override;
  using Sink::add;
  void add(const Slice& slice) override;
  void end(const Totals& /*totals*/) override { file_.flush(); }

 private:
  void append(const FieldReader& column, const FieldReader::Value& value);

  OutputFile file_;
  std::vector<FieldReader> columns_;
  const PlanNames* names_{nullptr};
  std::int64_t realtime_ns_{0};
};

void CsvSink::begin(const Recorded& recorded) {
  names_ = recorded.names;
  realtime_ns_ = recorded.realtime_ns;
  file_.append("start_ns,duration_ns,");
  for (const FieldReader& column : columns_) file_.append(column.field().name + ",");
  file_.append(
      "start_here_ns,error_ns,element_start_ns,element_duration_ns,element_start_here_ns,element_error_ns,"
      "element_process,element_sequence\n");
}

// A place in the program is written as function, file and line.
void CsvSink::append(const FieldReader& column, const FieldReader::Value& value) {
  const bool is_place = column.field().names == NumberNames::sites;
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          file_.append(csv_value(is_place ? CodePlaces::instance().describe(held) : std::string(held)));
        } else if constexpr (!std::is_same_v<Held, std::monostate>) {
          fmt::format_to(std::back_inserter(file_.text()), "{}", held);
        }
      },
      value);
}

void CsvSink::add(const Slice& slice) {
  const auto out = std::back_inserter(file_.text());
  const ObservedEvent& event = slice.event;
  fmt::format_to(out, "{},", event.process->clock.to_realtime_ns(event.start()));
  if (const auto duration = event.duration_ns(); duration && !slice.in_flight)
    fmt::format_to(out, "{}", saturating::round(*duration));
  for (const FieldReader& column : columns_) {
    file_.append(",");
    append(column, column.value(event, *names_));
  }
  fmt::format_to(out, ",{},", saturating::add(slice.begin_ns, realtime_ns_));
  if (slice.error_ns) fmt::format_to(out, "{}", *slice.error_ns);
  file_.append(",,,,,,\n");
  file_.written_on();
}

}  // namespace

std::unique_ptr<Sink> csv_sink(const std::filesystem::path& file) { return std::make_unique<CsvSink>(file); }

}  // namespace eventspace::exports
