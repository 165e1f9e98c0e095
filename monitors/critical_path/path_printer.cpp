#include "monitors/critical_path/path_printer.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "monitors/cli/named_table.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

/// Times and shares for display, or as numbers.
struct ReportValues {
  bool is_text{false};
  [[nodiscard]] Json time(double ns) const { return is_text ? Json(duration_of_ns(ns)) : Json(ns / 1e9); }
  [[nodiscard]] Json share(double part, double whole) const {
    const double share = whole > 0 ? part / whole : 0;
    return is_text ? Json(fmt::format("{:.0f}%", 100 * share)) : Json(share);
  }
};

NamedTable path_of(const PathReport& report, const ReportValues& values) {
  NamedTable table{
      "path",
      "the critical path, by activity:",
      {"activity", "path_s", "share", "mean_s", "imbalance_s", std::string(report.word), "of_it_s"}};
  for (const ActivityProfile& activity : report.profile.activities)
    table.rows.push_back({name_of(*report.run, activity.of), values.time(activity.path_ns),
                          values.share(activity.path_ns, static_cast<double>(report.path.ns())),
                          values.time(activity.mean_ns), values.time(activity.imbalance_ns()),
                          report.run->name_of(activity.location), values.time(activity.location_path_ns)});
  return table;
}

NamedTable locations_of(const PathReport& report, const ReportValues& values) {
  NamedTable table{"locations",
                   fmt::format("the path and the waits, by {}:", report.word),
                   {std::string(report.word), "path_s", "share", "waits", "waited_s", "caused_s", "unclear",
                    "in_unclear_s"}};
  std::vector<std::uint32_t> order;
  for (std::uint32_t location = 0; location < report.run->locations(); ++location)
    if (!report.run->activities(location).empty()) order.push_back(location);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::uint32_t location) { return report.profile.locations[location]; });
  for (const std::uint32_t location : order) {
    const LocationWaits& waits = report.waits.locations[location];
    const double on_path = report.profile.locations[location];
    table.rows.push_back({report.run->name_of(location), values.time(on_path),
                          values.share(on_path, static_cast<double>(report.path.ns())), waits.sum.waits,
                          values.time(waits.sum.ns), values.time(waits.caused_ns), waits.sum.unclear,
                          values.time(waits.sum.unclear_ns)});
  }
  return table;
}

NamedTable waits_of(const PathReport& report, const ReportValues& values) {
  NamedTable table{"waits",
                   "wait states, by call site:",
                   {"kind", "call", "waits", "waited_s", std::string(report.word), "of_it_s", "origin",
                    "of_origin_s", "unknown_s", "unclear", "in_unclear_s"}};
  const auto first = [&](const std::vector<LocationTime>& times) {
    return times.empty()
               ? std::pair(Json(), Json())
               : std::pair(Json(report.run->name_of(times.front().location)), values.time(times.front().ns));
  };
  for (const SiteWaits& row : report.waits.sites) {
    const auto [waiting, waited] = first(row.waiting);
    const auto [origin, caused] = first(row.origins);
    table.rows.push_back({to_string(row.kind), report.run->site_name(row.site), row.sum.waits,
                          values.time(row.sum.ns), waiting, waited, origin, caused,
                          values.time(row.unknown_ns), row.sum.unclear, values.time(row.sum.unclear_ns)});
  }
  return table;
}

NamedTable segments_of(const PathReport& report, const ReportValues& values) {
  NamedTable table{"segments",
                   "the critical path, in the order of time:",
                   {std::string(report.word), "begin_s", "end_s", "time_s", "activity", "from"}};
  const auto since_begin = [&](std::int64_t ns) {
    return values.time(static_cast<double>(saturating::subtract(ns, report.path.run_begin_ns)));
  };
  for (const PathSegment& segment : report.path.segments)
    table.rows.push_back({report.run->name_of(segment.location), since_begin(segment.begin_ns),
                          since_begin(segment.end_ns), values.time(static_cast<double>(segment.ns())),
                          name_of(*report.run, segment.of),
                          segment.from ? Json(report.run->name_of(*segment.from)) : Json()});
  return table;
}

void print_table(std::ostream& out, NamedTable table, std::size_t most) {
  if (table.rows.empty()) return;
  fmt::print(out, "\n{}\n", table.title);
  print_in_text(out, std::move(table), most);
}

std::string_view word_of(CriticalPath::Break breaks) noexcept {
  switch (breaks) {
    case CriticalPath::Break::none:
      return "complete";
    case CriticalPath::Break::gap:
      return "gap";
    case CriticalPath::Break::unknown:
      return "unknown partner";
    case CriticalPath::Break::first_call:
      return "first call";
  }
  return "?";
}

Json list_of(const std::vector<std::string>& sentences) {
  Json list = Json::array();
  for (const std::string& one : sentences) list.add(one);
  return list;
}

Json json_answer(const PathReport& report) {
  const CriticalPath& path = report.path;
  const ActivityProfile* const costliest = costliest_of(report);
  const ReportValues values;
  const auto of = [&](auto&& get) { return costliest == nullptr ? Json() : Json(get(*costliest)); };
  return Json::object(
      {{"table", "answer"},
       {"answer", answer_of(report)},
       {"activity", of([&](const ActivityProfile& one) { return name_of(*report.run, one.of); })},
       {"location", of([&](const ActivityProfile& one) { return report.run->name_of(one.location); })},
       {"saves_s", of([](const ActivityProfile& one) { return one.imbalance_ns() / 1e9; })},
       {"path_s", values.time(static_cast<double>(path.ns()))},
       {"run_s", values.time(static_cast<double>(path.run_ns()))},
       {"covered", path.covered()},
       {"begins_with", word_of(path.breaks)},
       {"begin_s", values.time(static_cast<double>(saturating::subtract(path.begin_ns, path.run_begin_ns)))},
       {"transfer_s", values.time(static_cast<double>(path.transfer_ns))},
       {"imbalance_s", values.time(report.profile.imbalance_ns)},
       {"waits", report.waits.all.waits},
       {"waited_s", values.time(report.waits.all.ns)},
       {"in_flight", path.in_flight},
       {"longest_in_flight_s", values.time(static_cast<double>(path.longest_in_flight_ns))},
       {"thinned_processes", report.reservations.thinned_processes},
       {"doubts", list_of(doubts_of(report))},
       {"unclear", report.waits.all.unclear},
       {"unclear_s", values.time(report.waits.all.unclear_ns)},
       {"evidence", list_of(evidence_of(report))},
       {"notes", list_of(reservations_of(report))}});
}

void print_answer(std::ostream& out, Format format, const PathReport& report) {
  if (format == Format::csv) return;
  if (format == Format::json) {
    out << json_answer(report).dump() << '\n';
    return;
  }
  fmt::print(out, "{}\n", answer_of(report));
  for (const std::string& line : evidence_of(report)) fmt::print(out, "  {}\n", line);
  for (const std::string& line : reservations_of(report)) fmt::print(out, "  note: {}\n", line);
}

}  // namespace

void print_path(std::ostream& out, Format format, PathTable which, const PathReport& report,
                std::size_t most) {
  const ReportValues values{format == Format::text};
  const std::vector<std::pair<PathTable, NamedTable (*)(const PathReport&, const ReportValues&)>> tables{
      {PathTable::path, path_of},
      {PathTable::locations, locations_of},
      {PathTable::waits, waits_of},
      {PathTable::segments, segments_of}};
  print_answer(out, format, report);
  const bool is_first = format == Format::csv && which == PathTable::all;
  for (const auto& [name, make] : tables) {
    const bool is_of_all =
        which == PathTable::all && (is_first ? name == PathTable::path : name != PathTable::segments);
    if (!is_of_all && which != name) continue;
    NamedTable table = make(report, values);
    format == Format::text ? print_table(out, std::move(table), most)
                           : print_rows(out, format, std::move(table));
  }
}

}  // namespace eventspace
