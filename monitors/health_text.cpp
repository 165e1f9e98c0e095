#include "monitors/health_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "monitors/text_format.h"

namespace eventspace {

std::string tally_of(const HealthReport& report) {
  std::map<Verdict, std::size_t> counts;
  for (const ThreadHealth& health : report.threads) ++counts[health.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  }
  return text;
}

std::string describe_culprit(const Culprit& culprit, const HealthReport& report, const PlanNames& names) {
  const auto health = std::find_if(report.threads.begin(), report.threads.end(),
                                   [&](const ThreadHealth& h) { return h.thread == culprit.thread; });
  std::string circle;
  for (const std::uint32_t thread : culprit.circle) {
    circle +=
        fmt::format("{}{}", circle.empty() ? "; in a circle of waiting: " : ", ", names.thread_name(thread));
  }
  const bool is_known = health != report.threads.end() && health->silent_for;
  return fmt::format("STALL at {}: {}, silent for {}; {} threads wait for it{}",
                     names.thread_name(culprit.thread), to_string(culprit.verdict),
                     is_known ? short_duration(*health->silent_for) : "-", culprit.waiting, circle);
}

}  // namespace eventspace
