#include "monitors/events/event_printer.h"

#include <fmt/format.h>

#include <iterator>

#include "monitors/cli/json.h"
#include "monitors/cli/text_format.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {
namespace {

// Start and length of an event on its node's clock; an operation in flight has no length.
struct Span {
  std::int64_t start_ns{0};
  double duration_ns{0};
};

Span span_of(const EventRecord& record, const ClockCalibration* clock) {
  const ClockCalibration raw;  // without a calibration, a tick counts as a nanosecond
  const ClockCalibration& used = clock != nullptr ? *clock : raw;
  return {used.to_realtime_ns(record.start),
          record.in_flight() ? 0 : used.ns_between(record.start, record.end)};
}

std::string_view peer_name(const EventRecord& record, const PlanNames& names) {
  return record.peer == no_peer ? std::string_view() : names.thread_name(record.peer);
}

}  // namespace

EventPrinter::EventPrinter(std::ostream& out, Format format, const RecordClocks& clocks,
                           const PlanNames& names)
    : out_(&out), format_(format), clocks_(&clocks), names_(&names) {
  if (format_ != Format::csv) return;
  fmt::format_to(std::back_inserter(lines_),
                 "start_ns,duration_ns,thread,path,point,verb,status,bytes,peer,sequence,parameter,missed,"
                 "virtual_time,start_here_ns,error_ns\n");
}

void EventPrinter::print(const EventRecord& record) {
  switch (format_) {
    case Format::text:
      return print_text(record);
    case Format::json:
      return print_json(record);
    case Format::csv:
      return print_csv(record);
  }
}

bool EventPrinter::flush() {
  out_->write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
  lines_.clear();
  return static_cast<bool>(out_->flush());
}

void EventPrinter::print_text(const EventRecord& record) {
  const Span span = span_of(record, clocks_->clock_of(record));
  fmt::format_to(std::back_inserter(lines_), "{}  {:<6} {:<32} {:<9} {:>8} {:>6} B  #{:<7} step {}\n",
                 format_realtime(span.start_ns), names_->thread_name(record.thread),
                 describe_operation(record, *names_), to_string(record.status),
                 short_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(span.duration_ns))),
                 record.bytes, record.sequence, record.virtual_time);
}

void EventPrinter::print_json(const EventRecord& record) {
  const Span span = span_of(record, clocks_->clock_of(record));
  Json json = Json::object({{"start_ns", span.start_ns},
                            {"duration_ns", span.duration_ns},
                            {"thread", names_->thread_name(record.thread)},
                            {"path", names_->path_name(record.path)},
                            {"point", to_string(static_cast<CollectPoint>(record.point))},
                            {"verb", to_string(record.verb)},
                            {"status", to_string(record.status)},
                            {"bytes", record.bytes},
                            {"peer", nullptr},
                            {"sequence", record.sequence},
                            {"parameter", record.parameter},
                            {"missed", record.missed},
                            {"virtual_time", record.virtual_time},
                            {"start_here_ns", nullptr},
                            {"error_ns", nullptr}});
  if (record.peer != no_peer) json.set("peer", peer_name(record, *names_));
  if (const auto here = clocks_->start_here(record)) {
    json.set("start_here_ns", here->ns);
    json.set("error_ns", here->error_ns);
  }
  lines_ += json.dump();
  lines_ += '\n';
}

void EventPrinter::print_csv(const EventRecord& record) {
  const Span span = span_of(record, clocks_->clock_of(record));
  const auto here = clocks_->start_here(record);
  fmt::format_to(std::back_inserter(lines_), "{},{:.0f},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                 span.start_ns, span.duration_ns, csv_value(std::string(names_->thread_name(record.thread))),
                 csv_value(std::string(names_->path_name(record.path))),
                 to_string(static_cast<CollectPoint>(record.point)), to_string(record.verb),
                 to_string(record.status), record.bytes, csv_value(std::string(peer_name(record, *names_))),
                 record.sequence, record.parameter, record.missed, record.virtual_time,
                 here ? std::to_string(here->ns) : "",
                 here && here->error_ns ? std::to_string(*here->error_ns) : "");
}

}  // namespace eventspace
