#include "scopes/reading/loss_news.h"

#include <fmt/format.h>

#include <utility>

#include "scopes/reading/generations.h"

namespace eventspace {

void LossNews::settle(bool arrived) {
  const std::uint64_t sent = std::exchange(lost_runs_sent_, 0);
  if (arrived) lost_runs_ -= sent;
  unrecorded_.settle(arrived);
}

void LossNews::report_lost_runs(const NamedProcess& process, std::size_t sources, View& view) {
  lost_runs_sent_ = lost_runs_;
  if (lost_runs_ == 0) return;
  view.missing.push_back(process.missing(
      MissingCause::restarted,
      fmt::format("the unread events of {} earlier {} are lost: more than {} runs followed, or a segment "
                  "was truncated",
                  lost_runs_, lost_runs_ == 1 ? "run" : "runs", generations_kept),
      sources));
}

void LossNews::report_unrecorded(const NamedProcess& process, std::uint64_t count, View& view) {
  const std::uint64_t listed = unrecorded_.committed;
  unrecorded_.sent = count;
  if (count <= listed) return;
  view.missing.push_back(process.missing(
      MissingCause::refused,
      fmt::format("it has no room to record {} more threads or paths of threads: its segment or the shared "
                  "memory is full",
                  count - listed),
      count - listed));
}

}  // namespace eventspace
