#include "monitors/delays/delay_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "monitors/text/counted.h"
#include "monitors/text/name_ranges.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

std::size_t threads_that_waited(const DelayReport& report) {
  return static_cast<std::size_t>(std::ranges::count_if(
      report.threads, [](const DelayReport::Thread& thread) { return thread.sum.waited > 0; }));
}

std::string unknown_part(const DelayReport& report) {
  if (report.lost <= 0) return "";
  return fmt::format("; the origin of another {} is unknown because records are missing",
                     duration_of_ns(report.lost));
}

}  // namespace

std::string_view to_string(DelayReport::Finding finding) noexcept {
  switch (finding) {
    case DelayReport::Finding::nothing:
      return "nothing";
    case DelayReport::Finding::unknown:
      return "unknown";
    case DelayReport::Finding::spread:
      return "spread";
    case DelayReport::Finding::first_cause:
      return "first cause";
  }
  return "?";
}

std::string describe_first_cause(const DelayReport& report, const PlanNames& names) {
  if (report.finding != DelayReport::Finding::first_cause) return "";
  std::vector<std::string> causes;
  double share = 0;
  double waited = 0;
  for (std::size_t i = 0; i < report.causes; ++i) {
    causes.emplace_back(names.thread_name(report.threads[i].thread));
    share += report.threads[i].share;
    waited += report.threads[i].sum.waited;
  }
  const bool is_one = causes.size() == 1;
  return fmt::format(
      "FIRST CAUSE {}: {} of the {} that {} waited for others began with {}; {} waited {} {}{}",
      collapse_numbered(causes), percent(share), duration_of_ns(report.waited),
      counted(threads_that_waited(report), "thread"), is_one ? "it" : "them", is_one ? "it" : "they",
      duration_of_ns(waited), is_one ? "itself" : "themselves", unknown_part(report));
}

std::string describe_delays(const DelayReport& report, const PlanNames& names) {
  switch (report.finding) {
    case DelayReport::Finding::first_cause:
      return describe_first_cause(report, names);
    case DelayReport::Finding::spread:
      return fmt::format("no thread stands out as the first cause of the {} that {} waited for others{}",
                         duration_of_ns(report.waited), counted(threads_that_waited(report), "thread"),
                         unknown_part(report));
    case DelayReport::Finding::unknown:
      return fmt::format(
          "first cause unknown: the origin of {} of {} of waiting is unknown because records are missing",
          duration_of_ns(report.lost), duration_of_ns(report.lost + report.waited));
    case DelayReport::Finding::nothing:
      break;
  }
  return fmt::format("threads hardly waited for others on paths: {} of {}",
                     duration_of_ns(report.waited + report.lost), duration_of_ns(report.observed));
}

Json json_of_delays(const DelayReport& report, const PlanNames& names) {
  Json causes = Json::array();
  for (std::size_t i = 0; i < report.causes; ++i) causes.add(names.thread_name(report.threads[i].thread));
  return Json::object({{"finding", to_string(report.finding)},
                       {"causes", causes},
                       {"waited_s", report.waited / 1e9},
                       {"unknown_s", report.lost / 1e9}});
}

std::vector<std::string> delay_columns() {
  return {"thread", "held_up_s", "share", "waited_s", "unknown_s", "first_cause"};
}

std::vector<std::vector<Json>> delay_rows(const DelayReport& report, const PlanNames& names, bool has_words) {
  const auto time = [&](double ns) { return has_words ? Json(duration_of_ns(ns)) : Json(ns / 1e9); };
  std::vector<std::vector<Json>> rows;
  for (const DelayReport::Thread& thread : report.threads) {
    const bool is_cause = rows.size() < report.causes;
    rows.push_back({names.thread_name(thread.thread), time(thread.sum.cost),
                    has_words ? Json(percent(thread.share)) : Json(thread.share), time(thread.sum.waited),
                    time(thread.sum.lost), has_words ? Json(is_cause ? "yes" : "") : Json(is_cause)});
  }
  return rows;
}

}  // namespace eventspace
