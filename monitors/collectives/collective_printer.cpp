#include "monitors/collectives/collective_printer.h"

#include <fmt/format.h>

#include "monitors/collectives/collective_text.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

bool is_bounded(const Difference& time) { return time.error_ns < Moment::unbounded; }

std::string maybe_text(const std::optional<Difference>& time) { return time ? bounded_text(*time) : "-"; }

Json names_in(const CollectiveShape& shape, const std::vector<std::size_t>& edges) {
  Json names = Json::array();
  for (const std::size_t edge : edges) names.add(shape.edges[edge].name);
  return names;
}

std::optional<std::string> name_of(const CollectiveShape& shape, const LastOf& last) {
  const auto edge = last.name();
  return edge ? std::optional(shape.edges[*edge].name) : std::nullopt;
}

Json passages_in(const CollectiveShape& shape, const std::vector<JointView::Passage>& passages) {
  Json list = Json::array();
  for (const JointView::Passage& passage : passages) {
    list.add(Json::object(
        {{"from", shape.edges[passage.edge].name}, {"after_first", json_of(passage.after_first)}}));
  }
  return list;
}

Json joints_in(const CollectiveShape& shape, const OperationReport& report) {
  Json joints = Json::array();
  for (std::size_t number = 0; number < shape.joints.size(); ++number) {
    const JointView& view = report.joints[number];
    joints.add(Json::object({{"joint", shape.joints[number].name},
                             {"node", shape.joints[number].node},
                             {"last", name_of(shape, view.last)},
                             {"candidates", names_in(shape, view.last.candidates)},
                             {"arrivals", passages_in(shape, view.arrivals)},
                             {"departures", passages_in(shape, view.departures)},
                             {"gathering", json_of(view.gathering)},
                             {"passing_up", json_of(view.passing_up)},
                             {"above", json_of(view.above)},
                             {"handing_down", json_of(view.handing_down)}}));
  }
  return joints;
}

Json stages_in(const CollectiveShape& shape, const OperationReport& report) {
  Json stages = Json::array();
  for (std::size_t edge = 0; edge < shape.edges.size(); ++edge) {
    const EdgeTimes& times = report.edges[edge];
    Json stage = Json::object({{"from", shape.edges[edge].name},
                               {"to", shape.joints[shape.edges[edge].joint].name},
                               {"up", json_of(times.up)},
                               {"down", json_of(times.down)},
                               {"both", json_of(times.both)}});
    if (shape.edges[edge].is_thread()) stage.set("waited", json_of(report.waited[edge]));
    stages.add(std::move(stage));
  }
  return stages;
}

bool has_no_result(const OperationReport& report) {
  return report.state == OperationState::open || report.state == OperationState::broken;
}

double in_seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::string bounded_text(const Difference& time) {
  const auto magnitude = [](std::int64_t ns) { return short_duration(nanoseconds(ns < 0 ? -ns : ns)); };
  return fmt::format("{}{} +-{}", time.ns < 0 ? "-" : "", magnitude(time.ns),
                     is_bounded(time) ? magnitude(time.error_ns) : "?");
}

Json json_of(const std::optional<Difference>& time) {
  if (!time) return nullptr;
  return Json::object(
      {{"ns", time->ns}, {"error_ns", is_bounded(*time) ? std::optional(time->error_ns) : std::nullopt}});
}

CollectivePrinter::CollectivePrinter(std::ostream& out, Format format, bool views,
                                     const WatchedCollectives& watch)
    : out_(&out), format_(format), views_(views), watch_(&watch) {
  if (format_ == Format::csv) {
    lines_ =
        "time,collective,number,state,last,candidates,after_second_ns,after_second_error_ns,after_first_ns,"
        "after_first_error_ns,waiting_ns,waiting_error_ns,missing,absent,open_s,missing_on,run,call\n";
  }
}

void CollectivePrinter::print(const WatchedCollectives::Operation& operation, nanoseconds since_start,
                              nanoseconds open_for) {
  switch (format_) {
    case Format::text:
      return print_text(operation, since_start, open_for);
    case Format::json:
      return print_json(operation, since_start, open_for);
    case Format::csv:
      return print_csv(operation, since_start, open_for);
  }
}

bool CollectivePrinter::flush() {
  *out_ << lines_ << std::flush;
  lines_.clear();
  return static_cast<bool>(*out_);
}

// --- text -------------------------------------------------------------------------------------------

void CollectivePrinter::print_text(const WatchedCollectives::Operation& operation, nanoseconds since_start,
                                   nanoseconds open_for) {
  const CollectiveShape& shape = watch_->collective(operation.collective).shape;
  const OperationReport& report = operation.report;
  lines_ += fmt::format("{:>7}  {} #{} ", short_duration(since_start), shape.name, report.number);
  if (operation.run > 1) lines_ += fmt::format("of run {} ", operation.run);
  if (!operation.call.is_empty()) lines_ += operation.call.text() + ": ";
  if (has_no_result(report)) {
    lines_ += describe_absent(shape, report, open_for) + '\n';
  } else {
    if (report.state == OperationState::incomplete)
      lines_ += fmt::format("incomplete, {} missing on {}: ", counted(report.missing, "record"),
                            fmt::join(report.missing_on, ", "));
    const std::string waiting = describe_waiting(shape, report);
    lines_ += describe_last(shape, report.last) + (waiting.empty() ? "" : "; ") + waiting + '\n';
  }
  if (views_) print_views(shape, report);
}

void CollectivePrinter::print_views(const CollectiveShape& shape, const OperationReport& report) {
  const auto order = [&](const char* what, const std::vector<JointView::Passage>& passages) {
    if (passages.empty()) return;
    lines_ += fmt::format("           {}:", what);
    for (const JointView::Passage& passage : passages)
      lines_ += fmt::format(" {} {},", shape.edges[passage.edge].name, bounded_text(passage.after_first));
    lines_.back() = '\n';
  };
  for (std::size_t number = 0; number < shape.joints.size(); ++number) {
    const JointView& view = report.joints[number];
    if (view.arrivals.empty() && view.departures.empty()) continue;
    lines_ += fmt::format(
        "         joint {} on {}: {}\n           gathering {}, passing up {}, above {}, handing down {}\n",
        shape.joints[number].name, shape.joints[number].node, describe_last(shape, view.last),
        maybe_text(view.gathering), maybe_text(view.passing_up), maybe_text(view.above),
        maybe_text(view.handing_down));
    order("arrivals", view.arrivals);
    order("departures", view.departures);
  }
  for (std::size_t edge = 0; edge < shape.edges.size(); ++edge) {
    const EdgeTimes& times = report.edges[edge];
    if (!times.up && !times.down && !times.both) continue;
    lines_ += fmt::format("         stage {} > {}: up {}, down {}, both {}", shape.edges[edge].name,
                          shape.joints[shape.edges[edge].joint].name, maybe_text(times.up),
                          maybe_text(times.down), maybe_text(times.both));
    if (report.waited[edge]) lines_ += ", waited " + bounded_text(*report.waited[edge]);
    lines_ += '\n';
  }
}

// --- json and csv -----------------------------------------------------------------------------------

void CollectivePrinter::print_json(const WatchedCollectives::Operation& operation, nanoseconds since_start,
                                   nanoseconds open_for) {
  const CollectiveShape& shape = watch_->collective(operation.collective).shape;
  const OperationReport& report = operation.report;
  Json missing_on = Json::array();
  for (const std::string& node : report.missing_on) missing_on.add(node);
  Json json = Json::object({{"type", "operation"},
                            {"time_s", in_seconds(since_start)},
                            {"collective", shape.name},
                            {"number", report.number},
                            {"run", operation.run},
                            {"state", to_string(report.state)},
                            {"missing", report.missing},
                            {"missing_on", missing_on}});
  if (!operation.call.is_empty()) json.set("call", operation.call.text());
  if (has_no_result(report)) {
    if (report.state == OperationState::open) json.set("open_s", in_seconds(open_for));
    json.set("absent", names_in(shape, report.absent));
  } else {
    json.set("last", name_of(shape, report.last));
    json.set("candidates", names_in(shape, report.last.candidates));
    json.set("after_second", json_of(report.last.after_second));
    json.set("after_median", json_of(report.last.after_median));
    json.set("after_first", json_of(report.last.after_first));
    json.set("waiting", json_of(waiting_of(report)));
  }
  if (views_) {
    json.set("joints", joints_in(shape, report));
    json.set("stages", stages_in(shape, report));
  }
  lines_ += json.dump() + '\n';
}

void CollectivePrinter::print_csv(const WatchedCollectives::Operation& operation, nanoseconds since_start,
                                  nanoseconds open_for) {
  const CollectiveShape& shape = watch_->collective(operation.collective).shape;
  const OperationReport& report = operation.report;
  const bool is_open = report.state == OperationState::open;
  const bool is_without = has_no_result(report);
  const auto time = [&](const std::optional<Difference>& difference) {
    if (!difference || is_without) return std::string(",");
    return fmt::format("{},{}", difference->ns,
                       is_bounded(*difference) ? std::to_string(difference->error_ns) : "");
  };
  const auto words = [&](const std::vector<std::size_t>& edges) {
    std::string text;
    for (const std::size_t edge : edges) text += (text.empty() ? "" : " ") + shape.edges[edge].name;
    return csv_value(text);
  };
  lines_ += fmt::format("{:.3f},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", in_seconds(since_start),
                        csv_value(shape.name), report.number, to_string(report.state),
                        is_without ? "" : csv_value(name_of(shape, report.last).value_or("")),
                        is_without ? "" : words(report.last.candidates), time(report.last.after_second),
                        time(report.last.after_first), time(waiting_of(report)), report.missing,
                        words(report.absent), is_open ? fmt::format("{:.3f}", in_seconds(open_for)) : "",
                        csv_value(fmt::format("{}", fmt::join(report.missing_on, " "))), operation.run,
                        csv_value(operation.call.text()));
}

}  // namespace eventspace
