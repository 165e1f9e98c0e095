#include "monitors/delays/delay_report.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace eventspace {
namespace {

bool stands_out(const DelayReport::Thread& thread, double waited) {
  constexpr double min_share = 0.2;
  constexpr double errors = 3;
  const DelayOrigins::Sum& sum = thread.sum;
  if (sum.waits < min_waits || sum.direct <= 0) return false;
  const double error = std::sqrt(sum.squares) / sum.direct;
  return (sum.cost - sum.waited) * (1 - errors * error) >= min_share * waited;
}

DelayReport::Finding finding_of(DelayReport& report) {
  using Finding = DelayReport::Finding;
  if (report.waited + report.lost < min_waiting * report.observed || report.observed <= 0)
    return Finding::nothing;
  if (report.lost > report.waited) return Finding::unknown;
  const auto end = std::stable_partition(
      report.threads.begin(), report.threads.end(),
      [&](const DelayReport::Thread& thread) { return stands_out(thread, report.waited); });
  const auto causes = static_cast<std::size_t>(end - report.threads.begin());
  if (causes == 0 || causes * 2 > report.threads.size()) return Finding::spread;
  report.causes = causes;
  return Finding::first_cause;
}

}  // namespace

DelayReport report_delays(const DelayOrigins& origins) {
  DelayReport report;
  for (const auto& [thread, sum] : origins.sums()) {
    report.observed += sum.observed;
    if (sum.cost + sum.waited + sum.lost <= 0) continue;
    report.waited += sum.waited;
    report.lost += sum.lost;
    report.threads.push_back({thread, sum, 0});
  }
  for (DelayReport::Thread& thread : report.threads)
    thread.share = report.waited > 0 ? thread.sum.cost / report.waited : 0;
  std::ranges::stable_sort(report.threads, std::greater(),
                           [](const auto& thread) { return thread.sum.cost; });
  report.finding = finding_of(report);
  return report;
}

}  // namespace eventspace
