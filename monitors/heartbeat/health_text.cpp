#include "monitors/heartbeat/health_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {

std::map<Verdict, std::size_t> counts_of(const HealthReport& report) {
  std::map<Verdict, std::size_t> counts;
  for (const ThreadHealth& health : report.threads) ++counts[health.verdict];
  return counts;
}

std::string tally_of(const HealthReport& report) {
  std::string text;
  for (const auto& [verdict, count] : counts_of(report)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  }
  return text;
}

const ThreadHealth* health_of(const Culprit& culprit, const HealthReport& report) noexcept {
  const auto health = std::ranges::find(report.threads, culprit.thread, &ThreadHealth::thread);
  return health == report.threads.end() ? nullptr : &*health;
}

std::string absences_of(const ThreadHealth& health, const PlanNames& names) {
  std::string text;
  for (const std::uint32_t path : health.absent_from)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", names.path_name(path));
  return text;
}

std::string waiting_text(std::size_t waiting) {
  if (waiting == 0) return "no other thread waits for it";
  return fmt::format("{} {} for it", counted(waiting, "thread"), waiting == 1 ? "waits" : "wait");
}

std::string describe_end(const HealthReport& report) {
  if (!report.has_ended()) return "";
  if (report.threads.empty())
    return fmt::format("{} {} ended", counted(report.gone_processes, "process"),
                       report.gone_processes == 1 ? "has" : "have");
  if (report.finalized_ranks > 1)
    return fmt::format("all {} have returned from MPI_Finalize and ended",
                       counted(report.finalized_ranks, "rank"));
  if (report.threads.size() == 1) return "its thread has ended";
  return fmt::format("all {} have ended", counted(report.threads.size(), "thread"));
}

std::string describe_culprit(const Culprit& culprit, const HealthReport& report, const PlanNames& names) {
  const ThreadHealth* const health = health_of(culprit, report);
  std::string circle;
  for (const std::uint32_t thread : culprit.circle) {
    circle +=
        fmt::format("{}{}", circle.empty() ? "; in a circle of waiting: " : ", ", names.thread_name(thread));
  }
  const bool is_known = health != nullptr && health->silent_for;
  const std::string absences = health != nullptr ? absences_of(*health, names) : "";
  return fmt::format("STALL at {}: {}, silent for {}; {}{}{}{}", names.thread_name(culprit.thread),
                     to_string(culprit.verdict), is_known ? short_duration(*health->silent_for) : "-",
                     waiting_text(culprit.waiting), absences.empty() ? "" : "; it has not come to ", absences,
                     circle);
}

}  // namespace eventspace
