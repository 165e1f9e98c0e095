#include "monitors/heartbeat/heartbeat_printer.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "collectors/mpi/mpi_text.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_calls.h"
#include "monitors/delays/delay_text.h"
#include "monitors/heartbeat/element_wait_text.h"
#include "monitors/heartbeat/health_text.h"
#include "monitors/heartbeat/job_health.h"
#include "monitors/heartbeat/stack_text.h"
#include "monitors/mpi/job_text.h"
#include "monitors/text/colour.h"
#include "monitors/text/counted.h"
#include "monitors/text/json.h"
#include "monitors/text/name_ranges.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

std::string maybe(const std::optional<std::chrono::nanoseconds>& duration) {
  return duration ? short_duration(*duration) : "-";
}

Tone tone_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::running:
      return Tone::good;
    case Verdict::not_started:
    case Verdict::ended:
    case Verdict::not_collected:
      return Tone::faint;
    case Verdict::waiting:
    case Verdict::apart:
      return Tone::good;
    case Verdict::stuck:
    case Verdict::unreachable:
      return Tone::warning;
    default:
      return Tone::bad;
  }
}

/// The program's step at this event, by the program's own count.
std::string step_text(const EventRecord& record) {
  if (record.kind != probe_kind || has_virtual_time(record.virtual_time))
    return fmt::format(" at step {}", record.virtual_time);
  const auto passage = passage_in(record.virtual_time);
  return passage ? fmt::format(", passed {} times before", *passage) : "";
}

Json json_of_probe(const EventRecord& record, const PlanNames& names) {
  Json json = Json::object(
      {{"kind", "probe"}, {"probe", names.probe_name(record.peer)}, {"sequence", record.sequence}});
  if (const auto passage = passage_in(record.virtual_time)) json.set("passage", *passage);
  if (has_virtual_time(record.virtual_time)) json.set("virtual_time", record.virtual_time);
  return json;
}

Json json_of_mpi(const EventRecord& record, const PlanNames& names) {
  const MpiCallRecord call = mpi_call_of(record);
  const std::string_view communicator = names.communicator_name(call.communicator);
  Json json = Json::object({{"kind", "mpi"},
                            {"call", name_of_mpi_call(call.call)},
                            {"verb", to_string(call.of)},
                            {"sequence", record.sequence}});
  if (!call.is_whole()) return json;
  if (call.communicator != MpiCallRecord::no_communicator) json.set("communicator", communicator);
  if (call.partner != MpiCallRecord::none) json.set("partner", call.partner);
  if (call.tag != MpiCallRecord::none) json.set("tag", call.tag);
  if (call.ordinal != 0) json.set("ordinal", call.ordinal);
  return json;
}

Json json_of_pvm(const EventRecord& record) {
  const PvmCallRecord call = pvm_call_of(encode(record));
  Json json = Json::object({{"kind", "pvm"},
                            {"call", name_of_pvm_call(call.call)},
                            {"verb", to_string(call.of)},
                            {"sequence", record.sequence}});
  if (call.task != PvmCallRecord::no_task) json.set("task", call.task);
  if (call.partner != PvmCallRecord::none) json.set("partner", call.partner);
  if (call.tag != PvmCallRecord::none) json.set("tag", call.tag);
  return json;
}

Json json_of(const EventRecord& record, const PlanNames& names) {
  if (record.kind == pvm_kind) return json_of_pvm(record);
  if (record.kind == probe_kind) return json_of_probe(record, names);
  if (record.kind == mpi_kind) return json_of_mpi(record, names);
  Json json = Json::object({{"verb", to_string(record.verb)},
                            {"path", names.path_name(record.path)},
                            {"sequence", record.sequence},
                            {"virtual_time", record.virtual_time}});
  if (record.peer != no_peer) json.set("peer", names.thread_name(record.peer));
  if (!record.in_flight()) json.set("status", to_string(record.status));
  return json;
}

std::optional<Json> json_of(const std::optional<EventRecord>& record, const PlanNames& names) {
  return record ? std::optional(json_of(*record, names)) : std::nullopt;
}

Json names_of(const std::vector<std::uint32_t>& paths, const PlanNames& names) {
  Json all = Json::array();
  for (const std::uint32_t path : paths) all.add(names.path_name(path));
  return all;
}

Json json_of(const std::vector<JobVerdict>& verdicts, const PlanNames& names) {
  Json all = Json::array();
  for (const JobVerdict& verdict : verdicts) all.add(json_of(verdict, names));
  return all;
}

Json json_of(const std::vector<JobSummary>& jobs) {
  Json all = Json::array();
  for (const JobSummary& job : jobs) all.add(json_of(job));
  return all;
}

std::optional<double> in_seconds(const std::optional<std::chrono::nanoseconds>& duration) {
  if (!duration) return std::nullopt;
  return std::chrono::duration<double>(*duration).count();
}

// "absent" for the cause, "waits: absent" for a rank that waits because of it.
std::string stall_of(const ThreadHealth& health, const JobReport& job) {
  if (!health.job_verdict) return "";
  return fmt::format(
      "{}{}", health.is_job_culprit ? "" : "waits: ", to_string(job.verdicts[*health.job_verdict].fault));
}

// The delay of other threads, if delays are watched.
std::string held_up_by(const ThreadHealth& health, const HealthReport& report) {
  if (!report.delays) return "";
  const auto& threads = report.delays->threads;
  const auto found = std::ranges::find(threads, health.thread, &DelayReport::Thread::thread);
  return fmt::format("{:.6f}", found == threads.end() ? 0.0 : found->sum.cost / 1e9);
}

// "element,kept,capacity"
std::string csv_of(const ElementWait& wait, const Plan& plan) {
  const std::string fill = wait.fill ? fmt::format("{},{}", wait.fill->kept, wait.fill->capacity) : ",";
  return csv_value(plan.elements[wait.element].name) + "," + fill;
}

}  // namespace

HeartbeatPrinter::HeartbeatPrinter(std::ostream& out, Format format, HeartbeatListing listing,
                                   const Plan& plan, const PlanNames& names, bool colour)
    : out_(&out), format_(format), listing_(listing), colour_(colour), plan_(&plan), names_(&names) {
  if (format_ == Format::csv) {
    fmt::print(
        *out_,
        "time,thread,verdict,stalled,silent_s,in_flight_s,operation,last,waiting,absent_from,waits_at,kept,"
        "capacity,mpi_stall,held_up_s\n");
  }
}

void HeartbeatPrinter::print(const HealthReport& report, const View& view,
                             std::chrono::nanoseconds since_start) {
  switch (format_) {
    case Format::text:
      print_text(report, view, since_start);
      break;
    case Format::json:
      print_json(report, view, since_start);
      break;
    case Format::csv:
      print_csv(report, since_start);
      break;
  }
  out_->flush();
}

// --- text -------------------------------------------------------------------------------------------

void HeartbeatPrinter::print_text(const HealthReport& report, const View& view,
                                  std::chrono::nanoseconds since_start) {
  fmt::print(*out_, "{:>7}  {}: ", short_duration(since_start), counted(report.threads.size(), "thread"));
  print_tally(report);
  print_missing(view);
  if (listing_ != HeartbeatListing::none) {
    if (listing_ == HeartbeatListing::stalled) print_unreachable(report);
    for (const ThreadHealth& health : report.threads) {
      if (listing_ == HeartbeatListing::stalled && health.verdict == Verdict::unreachable) continue;
      // A job is reported in lines whose number does not grow with its ranks.
      if (listing_ == HeartbeatListing::all || (is_stalled(health.verdict) && !is_of_mpi(health)))
        print_thread(health);
    }
  }
  print_causes(report);
}

void HeartbeatPrinter::print_causes(const HealthReport& report) {
  const auto print_line = [this](const std::string& line, Tone tone) {
    *out_ << "         ";
    write_toned(*out_, line, tone, colour_);
    *out_ << '\n';
  };
  if (const std::string end = describe_end(report); !end.empty()) print_line("ended: " + end, Tone::good);
  for (const std::string& line : describe_spawned(report.job)) print_line(line, Tone::plain);
  for (const std::string& line : describe_verdicts(report.job, *names_)) print_line(line, Tone::bad);
  for (const std::string& line : describe_unfollowed(report.job, *names_)) print_line(line, Tone::warning);
  for (const Culprit& culprit : report.culprits) {
    // Named above, with the server that is missing.
    if (culprit.verdict == Verdict::unreachable && culprit.waiting == 0) continue;
    print_line(describe_culprit(culprit, report, *names_),
               culprit.verdict == Verdict::unreachable ? Tone::warning : Tone::bad);
  }
  for (const std::string& line :
       describe_waits(report.element_waits, *plan_, *names_, listing_ == HeartbeatListing::all))
    print_line(line, Tone::bad);
  if (const std::string line = report.delays ? describe_first_cause(*report.delays, *names_) : "";
      !line.empty())
    print_line(line, Tone::warning);
  for (const CulpritStack& stack : report.stacks) {
    for (const std::string& line : describe_stack(stack, *names_)) print_line(line, Tone::plain);
  }
}

void HeartbeatPrinter::print_tally(const HealthReport& report) {
  bool is_first = true;
  for (const auto& [verdict, count] : counts_of(report)) {
    if (!std::exchange(is_first, false)) *out_ << ", ";
    write_toned(*out_, fmt::format("{} {}", count, to_string(verdict)), tone_of(verdict), colour_);
  }
  *out_ << '\n';
}

void HeartbeatPrinter::print_missing(const View& view) {
  for (const Missing& missing : view.missing) {
    const bool is_node_named = missing.node.empty() || missing.what.find(missing.node) != std::string::npos;
    write_toned(*out_,
                fmt::format("         missing: {}{} ({}): {}",
                            is_node_named ? "" : fmt::format("node {}, ", missing.node), missing.what,
                            counted(missing.sources, "trace element"),
                            missing.detail.empty() ? std::string(to_string(missing.cause)) : missing.detail),
                Tone::warning, colour_);
    *out_ << '\n';
  }
}

// Prints one line for all: a server that does not answer in time makes all threads of its node unreachable.
void HeartbeatPrinter::print_unreachable(const HealthReport& report) {
  std::vector<std::string> threads;
  for (const ThreadHealth& health : report.threads) {
    if (health.verdict == Verdict::unreachable) threads.emplace_back(names_->thread_name(health.thread));
  }
  if (threads.empty()) return;
  *out_ << "         ";
  write_toned(*out_, "unreachable: " + collapse_numbered(threads), Tone::warning, colour_);
  *out_ << '\n';
}

void HeartbeatPrinter::print_thread(const ThreadHealth& health) {
  fmt::print(*out_, "         {:<8} ", names_->thread_name(health.thread));
  write_toned(*out_, fmt::format("{:<27}", to_string(health.verdict)), tone_of(health.verdict), colour_);
  std::string text;
  if (health.silent_for) text += fmt::format(" silent {:<8}", short_duration(*health.silent_for));
  if (health.in_flight) {
    text += fmt::format(" in {} since {}", describe_operation(*health.in_flight, *names_),
                        maybe(health.in_flight_for));
  }
  if (health.last) {
    text += fmt::format("{} last {}", health.in_flight ? ";" : "", describe_operation(*health.last, *names_));
    // Calls of message libraries have their own numbers and lack a virtual time.
    const bool is_of_library = health.last->kind == mpi_kind || health.last->kind == pvm_kind;
    if (!is_of_library) text += fmt::format(" #{}{}", health.last->sequence, step_text(*health.last));
  }
  if (!health.absent_from.empty()) text += "; has not come to " + absences_of(health, *names_);
  fmt::print(*out_, "{}{}\n", text, health.detail.empty() ? "" : " " + health.detail);
}

// --- json and csv -----------------------------------------------------------------------------------

void HeartbeatPrinter::print_json(const HealthReport& report, const View& view,
                                  std::chrono::nanoseconds since_start) {
  const double time = std::chrono::duration<double>(since_start).count();
  Json missing = Json::array();
  for (const Missing& part : view.missing) {
    missing.add(Json::object({{"node", part.node},
                              {"what", part.what},
                              {"cause", to_string(part.cause)},
                              {"detail", part.detail},
                              {"trace_elements", part.sources}}));
  }
  Json culprits = Json::array();
  for (const Culprit& culprit : report.culprits) {
    Json circle = Json::array();
    for (const std::uint32_t thread : culprit.circle) circle.add(names_->thread_name(thread));
    const ThreadHealth* const health = health_of(culprit, report);
    culprits.add(Json::object(
        {{"thread", names_->thread_name(culprit.thread)},
         {"verdict", to_string(culprit.verdict)},
         {"waiting", culprit.waiting},
         {"circle", circle},
         {"absent_from", health != nullptr ? names_of(health->absent_from, *names_) : Json::array()}}));
  }
  Json element_waits = Json::array();
  for (const ElementWait& wait : report.element_waits) element_waits.add(json_of(wait, *plan_, *names_));
  Json stacks = Json::array();
  for (const CulpritStack& stack : report.stacks) stacks.add(json_of(stack, *names_));
  const Json pull =
      Json::object({{"type", "pull"},
                    {"time_s", time},
                    {"threads", report.threads.size()},
                    {"stalled", report.stalled},
                    {"ended", report.has_ended()},
                    {"missing", missing},
                    {"culprits", culprits},
                    {"element_waits", element_waits},
                    {"mpi_jobs", json_of(report.job.jobs)},
                    {"mpi_stalls", json_of(report.job.verdicts, *names_)},
                    {"mpi_unfollowed", json_of(report.job.unfollowed, *names_)},
                    {"delays", report.delays ? json_of_delays(*report.delays, *names_) : Json()},
                    {"stacks", stacks}});
  *out_ << pull.dump() << '\n';
  for (const ThreadHealth& health : report.threads) {
    Json row = Json::object({{"type", "thread"},
                             {"time_s", time},
                             {"thread", names_->thread_name(health.thread)},
                             {"verdict", to_string(health.verdict)},
                             {"stalled", is_stalled(health.verdict)},
                             {"silent_s", in_seconds(health.silent_for)},
                             {"in_flight_s", in_seconds(health.in_flight_for)},
                             {"in_flight", json_of(health.in_flight, *names_)},
                             {"last", json_of(health.last, *names_)},
                             {"last_ended_ns", health.last_realtime_ns},
                             {"absent_from", names_of(health.absent_from, *names_)}});
    if (health.job_verdict) row.set("mpi_stall", *health.job_verdict);
    if (!health.detail.empty()) row.set("detail", health.detail);
    *out_ << row.dump() << '\n';
  }
}

void HeartbeatPrinter::print_csv(const HealthReport& report, std::chrono::nanoseconds since_start) {
  std::unordered_map<std::uint32_t, std::size_t> waiting;  // by culprit
  for (const Culprit& culprit : report.culprits) waiting.emplace(culprit.thread, culprit.waiting);
  const auto seconds = [](const std::optional<std::chrono::nanoseconds>& duration) {
    const auto value = in_seconds(duration);
    return value ? fmt::format("{:.6f}", *value) : std::string();
  };
  std::unordered_map<std::uint32_t, const ElementWait*> waits;  // by waiting thread
  for (const ElementWait& wait : report.element_waits)
    for (const std::uint32_t thread : wait.waiting) waits.emplace(thread, &wait);
  for (const ThreadHealth& health : report.threads) {
    fmt::print(*out_, "{:.3f},{},{},{},{},{},{},{},{},{},{},{},{}\n",
               std::chrono::duration<double>(since_start).count(),
               csv_value(std::string(names_->thread_name(health.thread))), to_string(health.verdict),
               is_stalled(health.verdict) ? 1 : 0, seconds(health.silent_for), seconds(health.in_flight_for),
               health.in_flight ? csv_value(describe_operation(*health.in_flight, *names_)) : "",
               health.last ? csv_value(describe_operation(*health.last, *names_)) : "",
               waiting.contains(health.thread) ? fmt::format("{}", waiting.at(health.thread)) : "",
               csv_value(absences_of(health, *names_)),
               waits.contains(health.thread) ? csv_of(*waits.at(health.thread), *plan_) : ",,",
               stall_of(health, report.job), held_up_by(health, report));
  }
}

}  // namespace eventspace
