#include "monitors/collectives/command/summary_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "monitors/collectives/collective_text.h"
#include "monitors/moments/moment.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

bool is_bounded(const TimeSum& sum) { return sum.error_ns < static_cast<double>(Moment::unbounded); }

std::string was(std::uint64_t operations) {
  return fmt::format("{} {}", counted(operations, "operation"), operations == 1 ? "was" : "were");
}

}  // namespace

SummaryReport::SummaryReport(const WatchedCollectives& watch, const MpiCollectives* job,
                             std::vector<OpenOperations::Shown> open, std::string thinned)
    : watch_(&watch),
      is_of_job_(job != nullptr),
      open_(std::move(open)),
      thinned_(std::move(thinned)),
      rows_(watch.summary().rows()),
      total_(watch.summary().total()) {
  for (std::size_t i = 0; i < watch.size(); ++i) {
    gaps_.missing_records += watch.collective(i).totals.missing_records();
    gaps_.unseen += watch.collective(i).analysis.counts().unseen;
    gaps_.given_up += watch.collective(i).analysis.counts().given_up;
  }
  if (job == nullptr) return;
  gaps_.left_out = job->left_out();
  gaps_.calls_of_other_jobs = job->calls_of_other_jobs();
}

std::vector<std::pair<std::string, SummaryReport::Late>> SummaryReport::latest_of(const Row& row) {
  std::vector<std::pair<std::string, Late>> all(row.late.begin(), row.late.end());
  std::ranges::stable_sort(all, std::greater(), [](const auto& entry) {
    const Late& late = entry.second;
    return std::tuple(late.cost.ns, late.last, late.perhaps_last);
  });
  return all;
}

std::optional<double> SummaryReport::share(double ns) const {
  const auto run_time = static_cast<double>(watch_->run_time().count());
  if (run_time <= 0 || watch_->participants() == 0 || watch_->runs() > 1) return std::nullopt;
  return ns / (run_time * static_cast<double>(watch_->participants()));
}

std::string SummaryReport::answer() const {
  if (total_.operations == 0)
    return open_.empty() ? "no collective operation has ended"
                         : fmt::format("no collective operation has ended: {} open for long",
                                       open_.size() == 1 ? "1 is" : fmt::format("{} are", open_.size()));
  const auto of_run_time = [this](double ns) {
    const auto share = this->share(ns);
    return share ? fmt::format(", {} of the run time of all {}", share_text(*share),
                               counted(watch_->participants(), participant()))
                 : "";
  };
  const auto latest = latest_of(total_);
  if (latest.empty() || latest.front().second.last == 0)
    return fmt::format("no {} certainly came last in {}; all waited {}{}", participant(),
                       counted(total_.operations, "operation"), duration_of_ns(total_.waiting.ns),
                       of_run_time(total_.waiting.ns));
  const auto& [name, late] = latest.front();
  return fmt::format("{} came last in {} of {} and cost the others {}{}", name, late.last,
                     counted(total_.operations, "operation"), duration_of_ns(late.cost.ns),
                     of_run_time(late.cost.ns));
}

std::vector<std::string> SummaryReport::open_lines() const {
  std::vector<std::string> lines;
  for (const auto& [operation, open_for] : open_) {
    const CollectiveShape& shape = watch_->collective(operation.collective).shape;
    lines.push_back(fmt::format("{} #{} {}", shape.name, operation.report.number,
                                describe_absent(shape, operation.report, open_for)));
  }
  return lines;
}

std::string SummaryReport::uncertain_sentence() const {
  if (total_.uncertain == 0) return "";
  return fmt::format("uncertain: in {} of {} several {}s may have come last; {} of the waiting was in {}",
                     total_.uncertain, counted(total_.operations, "operation"), participant(),
                     sum_text(total_.uncertain_waiting), total_.uncertain == 1 ? "it" : "them");
}

// Errors of less than a twentieth do not change an answer.
std::string SummaryReport::clock_sentence() const {
  constexpr double noticeable = 0.05;
  if (!is_bounded(total_.waiting))
    return "uncertain: the clocks of some processes cannot be compared, so some times may be wrong by any "
           "amount";
  if (total_.waiting.error_ns <= noticeable * total_.waiting.ns) return "";
  return fmt::format("uncertain: the errors of the clocks add up to {} in the {} of waiting",
                     duration_of_ns(total_.waiting.error_ns), duration_of_ns(total_.waiting.ns));
}

std::string SummaryReport::incomplete_sentence() const {
  std::vector<std::string> parts;
  if (total_.incomplete > 0)
    parts.push_back(fmt::format("{} of {} {} {}", total_.incomplete, counted(total_.operations, "operation"),
                                total_.incomplete == 1 ? "lacks" : "lack",
                                counted(gaps_.missing_records, "record")));
  if (gaps_.unseen > 0) parts.push_back(was(gaps_.unseen) + " not seen at all");
  if (gaps_.given_up > 0) parts.push_back(was(gaps_.given_up) + " given up because too many were open");
  if (parts.empty()) return "";
  return fmt::format("incomplete: {}; the times are lower bounds", fmt::join(parts, ", "));
}

std::vector<std::string> SummaryReport::certainty() const {
  std::vector<std::string> sentences;
  const auto say = [&sentences](std::string sentence) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  };
  say(uncertain_sentence());
  say(clock_sentence());
  say(incomplete_sentence());
  if (is_thinned()) say("incomplete: " + thinned_);
  if (total_.broken > 0) say(fmt::format("broken: {}", counted(total_.broken, "operation")));
  if (total_.open > 0) say(fmt::format("{} still open when the run ended", was(total_.open)));
  if (gaps_.left_out > 0)
    say(fmt::format("left out: {} on communicators with unknown members", counted(gaps_.left_out, "call")));
  if (gaps_.calls_of_other_jobs > 0)
    say(fmt::format("left out: {} of spawned jobs", counted(gaps_.calls_of_other_jobs, "call")));
  if (sentences.empty() && total_.operations > 0)
    say(fmt::format("certain: all records of these operations were read, and the last {} of each is known",
                    participant()));
  if (watch_->runs() > 1) say(fmt::format("the table covers {} runs of the application", watch_->runs()));
  return sentences;
}

std::string share_text(double share) {
  const double percent = share * 100;
  if (percent <= 0) return "0%";
  if (percent < 0.1) return "less than 0.1%";
  return percent < 10 ? fmt::format("{:.1f}%", percent) : fmt::format("{:.0f}%", percent);
}

std::string sum_text(const TimeSum& sum) {
  if (sum.count == 0) return "-";
  return fmt::format("{} +-{}", duration_of_ns(sum.ns), is_bounded(sum) ? duration_of_ns(sum.error_ns) : "?");
}

}  // namespace eventspace
