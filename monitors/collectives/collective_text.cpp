#include "monitors/collectives/collective_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "monitors/collectives/collective_printer.h"
#include "monitors/text/name_ranges.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {

std::string names_of(const CollectiveShape& shape, const std::vector<std::size_t>& edges) {
  constexpr std::size_t most = 3;
  constexpr std::size_t widest = 60;
  std::vector<std::string> names;
  names.reserve(edges.size());
  for (const std::size_t edge : edges) names.push_back(shape.edges[edge].name);
  std::string text = collapse_numbered(names);
  if (edges.size() <= most || text.size() <= widest) return text;
  return fmt::format("{}, {}, {} and {} more (--format json names all)", names[0], names[1], names[2],
                     edges.size() - most);
}

std::string describe_last(const CollectiveShape& shape, const LastOf& last) {
  if (const auto name = last.name()) {
    std::string text = shape.edges[*name].name + " came last";
    if (last.after_second) text += fmt::format(", {} after the second", bounded_text(*last.after_second));
    if (last.after_first) text += fmt::format(", {} after the first", bounded_text(*last.after_first));
    return text;
  }
  return "the last arrivals are indistinguishable: " + names_of(shape, last.candidates);
}

std::string describe_absent(const CollectiveShape& shape, const OperationReport& report,
                            std::chrono::nanoseconds open_for) {
  const bool is_open = report.state == OperationState::open;
  return fmt::format("{}, absent: {}", is_open ? "open for " + short_duration(open_for) : "broken",
                     report.absent.empty() ? "none known" : names_of(shape, report.absent));
}

Difference waiting_of(const OperationReport& report) {
  Difference sum;
  for (std::size_t edge = 0; edge < report.waited.size(); ++edge) {
    if (!report.waited[edge] || report.last.name() == edge) continue;
    sum.ns = saturating::add(sum.ns, report.waited[edge]->ns);
    sum.error_ns = saturating::add(sum.error_ns, report.waited[edge]->error_ns);
  }
  for (const GroupWaiting& group : report.groups) {
    sum.ns = saturating::add(sum.ns, group.waited.ns);
    sum.error_ns = saturating::add(sum.error_ns, group.waited.error_ns);
  }
  return sum;
}

std::string describe_waiting(const CollectiveShape& shape, const OperationReport& report) {
  const auto name = report.last.name();
  if (!name) return "";
  auto others = std::ranges::count_if(report.waited, [](const auto& time) { return time.has_value(); });
  if (report.waited[*name]) --others;
  for (const GroupWaiting& group : report.groups)
    others += static_cast<std::ptrdiff_t>(shape.within[group.within].threads) - (group.last == *name ? 1 : 0);
  return fmt::format("{} {} waited {} for {}", others, others == 1 ? "thread" : "threads",
                     bounded_text(waiting_of(report)), shape.edges[*name].name);
}

}  // namespace eventspace
