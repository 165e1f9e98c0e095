#include <fmt/format.h>

#include "monitors/delays/delay_text.h"
#include "monitors/heartbeat/health_text.h"
#include "monitors/mpi/job_text.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "monitors/top/figures.h"
#include "monitors/top/screen.h"

namespace eventspace::top {
namespace {

Line threads_line(const State& state, const Context& context) {
  const std::string when = context.when.empty() ? duration_text(state.since_start) : context.when;
  return {{when + "  ", Style::faint},
          {counted(state.threads.size(), "thread") + ": ", Style::strong},
          {tally_of(state.health)},
          {"; "},
          {rate_text(state.events_per_second), Style::strong},
          {" events/s"}};
}

// Unreachable threads are left out, because whether they are stalled is unknown.
Line stall_line(const State& state, const Context& context) {
  const auto of_job = describe_verdicts(state.health.job, *context.names, 2);
  if (!of_job.empty()) {
    const std::string before =
        of_job.size() > 1 ? fmt::format("(1 of {}) ", state.health.job.verdicts.size()) : "";
    return {{before + of_job.front(), Style::bad}};
  }
  if (const std::string end = describe_end(state.health); !end.empty())
    return {{"ended: " + end, Style::faint}};
  std::vector<const Culprit*> culprits;
  for (const Culprit& culprit : state.health.culprits) {
    if (culprit.verdict != Verdict::unreachable) culprits.push_back(&culprit);
  }
  if (culprits.empty()) {
    const bool are_all_seen = state.health.culprits.empty();
    const auto& delays = state.health.delays;
    const std::string cause = delays ? describe_first_cause(*delays, *context.names) : "";
    if (!cause.empty()) return {{cause, Style::warning}};
    return {{are_all_seen ? "no thread is stalled" : "no thread that can be seen is stalled", Style::faint}};
  }
  std::string text = describe_culprit(*culprits.front(), state.health, *context.names);
  if (culprits.size() > 1) text = fmt::format("(1 of {}) {}", culprits.size(), text);
  return {{text, Style::bad}};
}

std::string loss_text(const Loss& loss) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(loss.discarded, "discarded");
  add(loss.torn, "torn");
  add(loss.filtered, "filtered");
  add(loss.repeated, "repeated");
  add(loss.emptied, "emptied");
  return text;
}

Line missing_line(const State& state) {
  Line line;
  if (state.servers_in_scope > 0) {
    const std::size_t answering = state.servers_in_scope - state.servers_silent;
    line.push_back({fmt::format("servers {}/{}", answering, state.servers_in_scope),
                    state.servers_silent > 0 ? Style::warning : Style::plain});
    line.push_back({", "});
  }
  const std::string loss = loss_text(state.loss);
  line.push_back(loss.empty() ? Span{"no loss"} : Span{"loss: " + loss, Style::warning});
  if (state.kept_for)
    line.push_back({fmt::format(", events kept at least {}", duration_text(state.kept_for))});
  if (state.missing.empty()) {
    line.push_back({"; nothing missing"});
  } else {
    const Missing& first = state.missing.front();
    line.push_back(
        {fmt::format("; {} missing: {} ({})", state.missing.size(), first.what, to_string(first.cause)),
         Style::warning});
  }
  return line;
}

Line watching_line(const State& state) {
  const WatchRates& watching = state.watching;
  return {{fmt::format("watching: {} Hz, {} a pull, {:.1f}% CPU, {}/s; {} of {} partial",
                       rate_text(watching.pulls_per_second), short_duration(watching.pull),
                       watching.cpu_share * 100,
                       short_size(static_cast<std::uint64_t>(watching.bytes_per_second)), state.partial,
                       counted(state.pulls, "pull")),
           Style::faint}};
}

}  // namespace

std::vector<Line> status_lines(const State& state, const Context& context) {
  if (state.pulls == 0) return {{{"waiting for the first pull", Style::faint}}, {}, {}, {}};
  return {threads_line(state, context), stall_line(state, context), missing_line(state),
          watching_line(state)};
}

}  // namespace eventspace::top
