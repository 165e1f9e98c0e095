#include <algorithm>
#include <sstream>
#include <utility>

#include "monitors/delays/delay_text.h"
#include "monitors/heartbeat/health_text.h"
#include "monitors/heartbeat/heartbeat_printer.h"
#include "monitors/heartbeat/stack_text.h"
#include "monitors/mpi/job_text.h"
#include "monitors/text/text_format.h"
#include "monitors/web/documents/parts.h"

namespace eventspace::web {
namespace {

// Whether an unreachable thread is stalled is unknown.
bool is_seen(const Culprit& culprit) { return culprit.verdict != Verdict::unreachable; }

Json stack_of(std::uint32_t thread, const Looked& looked) {
  Json lines = Json::array();
  if (looked.stacks == nullptr) return lines;
  const auto found = std::ranges::find(*looked.stacks, thread, &CulpritStack::thread);
  if (found == looked.stacks->end()) return lines;
  if (!found->refusal.empty()) lines.add(found->refusal);
  for (const StackFrame& frame : found->stack.frames) lines.add(describe_frame(frame));
  return lines;
}

Json json_of(const Culprit& culprit, const Looked& looked) {
  const ThreadHealth* const health = health_of(culprit, looked.state->health);
  Json object = Json::object({{"thread", looked.names->thread_name(culprit.thread)},
                              {"what", to_string(culprit.verdict)},
                              {"waiting", culprit.waiting}});
  if (health != nullptr) {
    object.set("since_s", Json(seconds_of(health->in_flight ? health->in_flight_for : health->silent_for)));
    const auto& event = health->in_flight ? health->in_flight : health->last;
    object.set("call", event ? Json(describe_operation(*event, *looked.names)) : Json());
    object.set("waits_for", absences_of(*health, *looked.names));
  }
  object.set("stack", stack_of(culprit.thread, looked));
  return object;
}

Json json_of(const JobVerdict& verdict, const Looked& looked) {
  Json object = Json::object({{"rank", verdict.culprits.to_text(200)},
                              {"job", verdict.job},
                              {"what", to_string(verdict.fault)},
                              {"since_s", seconds_of(verdict.longest)},
                              {"waiting", verdict.waiting.size()},
                              {"detail", eventspace::json_of(verdict, *looked.names)}});
  if (!verdict.doing.empty()) {
    const JobGroup& group = verdict.doing.front();
    const auto& call = group.in_flight ? group.in_flight : group.last;
    object.set("call", call ? Json(describe_call(*call, *looked.names, group.has_one_partner)) : Json());
  }
  Json stack = Json::array();
  if (looked.stacks != nullptr && !looked.stacks->empty())
    stack = stack_of(looked.stacks->front().thread, looked);
  object.set("stack", std::move(stack));
  return object;
}

// The lines that `heartbeat --list none` prints for the same pull: threads are in parts of their own.
Json lines_of(const Looked& looked) {
  std::ostringstream out;
  HeartbeatPrinter printer(out, Format::text, HeartbeatListing::none, *looked.plan, *looked.names, false);
  View account;
  account.missing = looked.state->missing;
  printer.print(looked.state->health, account, looked.state->since_start);
  Json lines = Json::array();
  std::istringstream text(out.str());
  for (std::string line; std::getline(text, line);) lines.add(line);
  if (looked.stacks != nullptr) {
    for (const CulpritStack& stack : *looked.stacks)
      for (const std::string& line : describe_stack(stack, *looked.names)) lines.add("         " + line);
  }
  return lines;
}

}  // namespace

Sentence sentence_of(const Looked& looked) {
  const top::State& state = *looked.state;
  const HealthReport& health = state.health;
  const PlanNames& names = *looked.names;
  if (const auto of_job = describe_verdicts(health.job, names, 1); health.job.is_stalled() && !of_job.empty())
    return {"stall", of_job.front()};
  const auto culprit = std::ranges::find_if(health.culprits, is_seen);
  if (culprit != health.culprits.end()) return {"stall", describe_culprit(*culprit, health, names)};
  if (const std::string end = describe_end(health); !end.empty()) return {"ended", end};
  const bool has_unseen = !health.culprits.empty() || !state.missing.empty();
  const bool has_none = std::ranges::all_of(health.threads, [](const ThreadHealth& thread) {
    return thread.verdict == Verdict::not_started || thread.verdict == Verdict::unreachable;
  });
  if (has_none) return {"unknown", has_unseen ? "no thread can be seen" : "no thread has started yet"};
  if (health.stalled > 0 && !has_unseen) return {"stall", tally_of(health)};
  const std::string cause = health.delays ? describe_first_cause(*health.delays, names) : "";
  if (!cause.empty()) return {"late", cause};
  if (has_unseen) return {"unknown", "no thread that can be seen is stalled"};
  return {"ok", "no thread is stalled"};
}

Json verdict_part(const Looked& looked) {
  const HealthReport& health = looked.state->health;
  const Sentence sentence = sentence_of(looked);
  Json culprits = Json::array();
  for (const JobVerdict& verdict : health.job.verdicts) culprits.add(json_of(verdict, looked));
  for (const Culprit& culprit : health.culprits)
    if (is_seen(culprit)) culprits.add(json_of(culprit, looked));
  Json tally = Json::object();
  for (const auto& [verdict, count] : counts_of(health)) tally.set(to_string(verdict), count);
  return Json::object({{"severity", sentence.severity},
                       {"sentence", sentence.text},
                       {"stalled", health.stalled},
                       {"tally", std::move(tally)},
                       {"culprits", std::move(culprits)},
                       {"text", lines_of(looked)},
                       {"warning", Json(looked.complaint)}});
}

}  // namespace eventspace::web
