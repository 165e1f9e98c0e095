#include "monitors/collectives/command/summary_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>

#include "monitors/cli/result_table.h"
#include "monitors/moments/moment.h"

namespace eventspace {
namespace {

using Row = SummaryReport::Row;
using Late = SummaryReport::Late;

// "rank 3 (812), rank 1 (90) and 2 more"
std::string latest_text(const Row& row) {
  constexpr std::size_t most = 2;
  std::string text;
  std::size_t certain = 0;
  for (const auto& [name, late] : SummaryReport::latest_of(row)) {
    if (late.last == 0 || ++certain > most) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, late.last);
  }
  if (certain > most) text += fmt::format(" and {} more", certain - most);
  return text;
}

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> count_or_none(std::uint64_t count) {
  return count == 0 ? std::nullopt : std::optional(std::to_string(count));
}

// --- json and csv -----------------------------------------------------------------------------------

std::optional<std::int64_t> whole(double ns) { return static_cast<std::int64_t>(ns); }

std::optional<std::int64_t> error_of(const TimeSum& sum) {
  return sum.error_ns < static_cast<double>(Moment::unbounded) ? whole(sum.error_ns) : std::nullopt;
}

Json json_of(const TimeSum& sum) {
  return Json::object({{"ns", whole(sum.ns)}, {"error_ns", error_of(sum)}});
}

Json json_of(const std::vector<std::pair<std::string, Late>>& latest) {
  Json list = Json::array();
  for (const auto& [name, late] : latest)
    list.add(Json::object({{"name", name},
                           {"last", late.last},
                           {"perhaps_last", late.perhaps_last},
                           {"cost", json_of(late.cost)}}));
  return list;
}

Json json_of(const std::vector<OpenOperations::Shown>& open, const WatchedCollectives& watch) {
  Json list = Json::array();
  for (const auto& [operation, open_for] : open) {
    const CollectiveShape& shape = watch.collective(operation.collective).shape;
    Json absent = Json::array();
    for (const std::size_t edge : operation.report.absent) absent.add(shape.edges[edge].name);
    list.add(Json::object({{"collective", shape.name},
                           {"number", operation.report.number},
                           {"open_s", std::chrono::duration<double>(open_for).count()},
                           {"absent", absent}}));
  }
  return list;
}

void set_counts(Json& json, const Row& row) {
  json.set("operations", row.operations);
  json.set("incomplete", row.incomplete);
  json.set("uncertain", row.uncertain);
  json.set("broken", row.broken);
  json.set("open_at_end", row.open);
}

void set_times(Json& json, const SummaryReport& report, const Row& row) {
  json.set("waiting", json_of(row.waiting));
  json.set("uncertain_waiting", json_of(row.uncertain_waiting));
  json.set("share", report.share(row.waiting.ns));
  json.set("late", json_of(SummaryReport::latest_of(row)));
  json.set("unlisted", row.unlisted.last + row.unlisted.perhaps_last);
}

Json json_of_all(const SummaryReport& report) {
  Json json = Json::object({{"type", "summary"},
                            {"runs", report.watch().runs()},
                            {"run_s", std::chrono::duration<double>(report.watch().run_time()).count()},
                            {"participants", report.watch().participants()}});
  set_counts(json, report.total());
  json.set("missing", report.gaps().missing_records);
  json.set("unseen", report.gaps().unseen);
  json.set("given_up", report.gaps().given_up);
  json.set("left_out", report.gaps().left_out);
  json.set("of_spawned_jobs", report.gaps().calls_of_other_jobs);
  json.set("thinned", report.is_thinned());
  json.set("open", json_of(report.open(), report.watch()));
  set_times(json, report, report.total());
  return json;
}

void print_json(std::ostream& out, const SummaryReport& report) {
  out << json_of_all(report).dump() << '\n';
  for (const Row* const row : report.rows()) {
    Json json = Json::object({{"type", "row"},
                              {"collective", row->collective},
                              {"operation", text_or_none(row->call.operation)},
                              {"site", text_or_none(row->call.site)}});
    set_counts(json, *row);
    set_times(json, report, *row);
    out << json.dump() << '\n';
  }
}

void print_csv(std::ostream& out, const SummaryReport& report) {
  ResultTable table({"collective", "operation", "site", "operations", "incomplete", "uncertain", "broken",
                     "open_at_end", "last", "last_operations", "last_cost_ns", "last_cost_error_ns",
                     "waiting_ns", "waiting_error_ns", "share"});
  for (const Row* const row : report.rows()) {
    const auto latest = SummaryReport::latest_of(*row);
    const bool is_known = !latest.empty() && latest.front().second.last > 0;
    const Late late = is_known ? latest.front().second : Late{};
    table.add({row->collective, row->call.operation, row->call.site, row->operations, row->incomplete,
               row->uncertain, row->broken, row->open,
               is_known ? std::optional(latest.front().first) : std::nullopt, late.last, whole(late.cost.ns),
               error_of(late.cost), whole(row->waiting.ns), error_of(row->waiting),
               report.share(row->waiting.ns)});
  }
  table.print(out, Format::csv);
}

// --- text -------------------------------------------------------------------------------------------

void print_text(std::ostream& out, const SummaryReport& report, std::size_t most) {
  out << report.answer() << '\n';
  for (const std::string& line : report.open_lines()) out << line << '\n';
  SummaryTable words = table_of(report);
  ResultTable table(std::move(words.columns));
  for (auto& row : words.rows) table.add(std::move(row));
  table.print_first(out, most);
  for (const std::string& sentence : report.certainty()) out << sentence << '\n';
}

}  // namespace

SummaryTable table_of(const SummaryReport& report) {
  struct Column {
    std::string name;
    bool is_dispensable;  // without any value
    std::function<Json(const Row&)> value;
  };
  const std::array<Column, 9> columns{
      Column{report.is_of_job() ? "communicator" : "collective", false,
             [](const Row& row) { return row.collective; }},
      Column{"operation", true, [](const Row& row) { return text_or_none(row.call.operation); }},
      Column{"call site", true, [](const Row& row) { return text_or_none(row.call.site); }},
      Column{"count", false, [](const Row& row) { return row.operations; }},
      Column{"last most often", true, [](const Row& row) { return text_or_none(latest_text(row)); }},
      Column{"cost to others", false, [](const Row& row) { return sum_text(row.waiting); }},
      Column{"share", true,
             [&](const Row& row) {
               const auto share = report.share(row.waiting.ns);
               return share ? std::optional(share_text(*share)) : std::nullopt;
             }},
      Column{"uncertain", true, [](const Row& row) { return count_or_none(row.uncertain); }},
      Column{"broken", true, [](const Row& row) { return count_or_none(row.broken); }}};
  SummaryTable table;
  table.rows.resize(report.rows().size());
  for (const Column& column : columns) {
    std::vector<Json> values;
    for (const Row* const row : report.rows()) values.push_back(column.value(*row));
    const bool is_empty = std::ranges::all_of(values, &Json::is_null);
    if (column.is_dispensable && is_empty) continue;
    table.columns.push_back(column.name);
    for (std::size_t i = 0; i < values.size(); ++i) table.rows[i].push_back(std::move(values[i]));
  }
  return table;
}

void print_summary(std::ostream& out, Format format, const SummaryReport& report, std::size_t most) {
  switch (format) {
    case Format::text:
      return print_text(out, report, most);
    case Format::json:
      return print_json(out, report);
    case Format::csv:
      return print_csv(out, report);
  }
}

}  // namespace eventspace
