#include "monitors/web/documents/happenings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "monitors/text/counted.h"
#include "monitors/text/name_ranges.h"

namespace eventspace::web {
namespace {

// A stall continues as long as the same threads are blamed.
std::set<std::string> blamed_by(const Looked& looked) {
  std::set<std::string> blamed;
  for (const JobVerdict& verdict : looked.state->health.job.verdicts)
    blamed.insert(fmt::format("{} of rank {}", to_string(verdict.fault), verdict.culprits.to_text(200)));
  for (const Culprit& culprit : looked.state->health.culprits)
    if (culprit.verdict != Verdict::unreachable) blamed.emplace(looked.names->thread_name(culprit.thread));
  return blamed;
}

std::string numbered(const std::vector<std::string>& threads, std::string_view what) {
  return fmt::format("{} {}: {}", counted(threads.size(), "thread"), what, collapse_numbered(threads));
}

}  // namespace

void Happenings::observe(const Looked& looked, double at_s) {
  observe_threads(looked, at_s);
  observe_missing(looked, at_s);
  observe_loss(looked, at_s);
  observe_health(looked, at_s);
  is_first_ = false;
}

void Happenings::observe_health(const Looked& looked, double at_s) {
  const Sentence sentence = sentence_of(looked);
  std::set<std::string> blamed = blamed_by(looked);
  const bool is_new = severity_ != sentence.severity || (sentence.severity == "stall" && blamed != blamed_);
  if (is_new && (sentence.severity == "stall" || sentence.severity == "late" || sentence.severity == "ended"))
    add({at_s, sentence.severity, sentence.text, {blamed.begin(), blamed.end()}});
  const bool was_bad = severity_ == "stall" || severity_ == "late";
  if (was_bad && sentence.severity == "ok") add({at_s, "recovered", sentence.text, {}});
  severity_ = sentence.severity;
  blamed_ = std::move(blamed);
}

void Happenings::observe_threads(const Looked& looked, double at_s) {
  std::vector<std::string> joined, ended;
  std::map<std::uint32_t, bool> now;
  for (const ThreadHealth& health : looked.state->health.threads) {
    if (health.verdict == Verdict::not_started) continue;
    const auto before = has_ended_.find(health.thread);
    const bool was_there = before != has_ended_.end() && !before->second;
    // Whether an unreachable thread has ended is not known.
    const bool has_ended = health.verdict == Verdict::unreachable
                               ? before != has_ended_.end() && before->second
                               : is_gone(health.verdict);
    now.emplace(health.thread, has_ended);
    const std::string name(looked.names->thread_name(health.thread));
    if (has_ended && was_there) ended.push_back(name);
    if (!has_ended && !was_there) joined.push_back(name);
  }
  // Threads of processes without a plan leave the list with their process.
  for (const auto& [thread, had_ended] : has_ended_)
    if (!had_ended && !now.contains(thread)) ended.emplace_back(looked.names->thread_name(thread));
  has_ended_ = std::move(now);
  if (!joined.empty()) add({at_s, "joined", numbered(joined, is_first_ ? "seen" : "joined"), joined});
  if (!ended.empty()) add({at_s, "ended", numbered(ended, "ended"), ended});
}

void Happenings::observe_missing(const Looked& looked, double at_s) {
  std::set<std::string> now;
  for (const Missing& part : looked.state->missing) {
    if (part.cause == MissingCause::no_segment) continue;  // a process that has not started, or has ended
    now.insert(part.what);
    if (!missing_.contains(part.what))
      add({at_s,
           "missing",
           fmt::format("{}: {}", part.what, part.detail.empty() ? to_string(part.cause) : part.detail),
           {}});
  }
  for (const std::string& part : missing_)
    if (!now.contains(part)) add({at_s, "returned", part + " answers again", {}});
  missing_ = std::move(now);
}

void Happenings::observe_loss(const Looked& looked, double at_s) {
  const Loss& loss = looked.state->loss;
  const auto count = [&](std::uint64_t now, std::uint64_t before, const char* how) {
    if (now > before) add({at_s, "loss", fmt::format("{} {}", counted(now - before, "event"), how), {}});
  };
  count(loss.torn, loss_.torn, "refused, because their slots were damaged");
  count(loss.failed, loss_.failed, "dropped by a wrapper that failed");
  loss_ = loss;
}

void Happenings::add_alert(const std::string& text, double at_s) {
  add({at_s, "alert", "alert: " + text, {}});
}

void Happenings::add_order(const std::string& text, double at_s) { add({at_s, "order", text, {}}); }

void Happenings::add(Happening happening) {
  constexpr std::size_t max_threads = 16;
  if (happening.threads.size() > max_threads) happening.threads.resize(max_threads);
  kept_.push_back(std::move(happening));
  if (kept_.size() > max_kept) kept_.pop_front();
}

Json Happenings::part() const {
  Json all = Json::array();
  for (const Happening& happening : kept_) {
    Json threads = Json::array();
    for (const std::string& thread : happening.threads) threads.add(thread);
    all.add(Json::object({{"at_s", happening.at_s},
                          {"kind", happening.kind},
                          {"text", happening.text},
                          {"threads", std::move(threads)}}));
  }
  return all;
}

}  // namespace eventspace::web
