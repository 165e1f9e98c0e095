#include "monitors/whatif/switched/switched_job.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tuplespace/system/error.h"

namespace eventspace::whatif {
namespace {

using nlohmann::json;

constexpr int format_version = 1;

void write(const std::filesystem::path& file, const json& value) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << value;
  out.close();
  if (!out) throw EnvironmentError(fmt::format("cannot write {}", file.string()));
}

json read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw EnvironmentError(fmt::format("cannot read {}", file.string()));
  json value = json::parse(in, nullptr, false);
  if (!value.is_object() || value.value("format", 0) != format_version)
    throw EnvironmentError(
        fmt::format("{} is not of this version of EventSpace: is eventspace-simgrid of another installation?",
                    file.string()));
  return value;
}

json task_of(const TaskOutcome& task) {
  json functions = json::array();
  for (std::size_t i = 0; i < task.functions.size(); ++i) {
    const FunctionShare& share = task.functions[i];
    if (share.calls > 0 || share.time > 0) functions.push_back({i, share.calls, share.time, share.blocked});
  }
  return {
      task.execution,          task.compute,  task.idle,  task.overhead,       task.algorithmic, task.service,
      task.network.on_network, task.messages, task.bytes, std::move(functions)};
}

TaskOutcome task_from(const json& of, std::size_t functions) {
  TaskOutcome task;
  task.execution = of.at(0);
  task.compute = of.at(1);
  task.idle = of.at(2);
  task.overhead = of.at(3);
  task.algorithmic = of.at(4);
  task.service = of.at(5);
  task.network.on_network = of.at(6);
  task.messages = of.at(7);
  task.bytes = of.at(8);
  task.functions.resize(functions);
  for (const json& share : of.at(9))
    task.functions.at(share.at(0).get<std::size_t>()) = {share.at(1), share.at(2), share.at(3)};
  return task;
}

json trace_of(const std::optional<SimulationTrace>& trace) {
  if (!trace) return nullptr;
  json waits = json::array();
  for (const auto& of_task : trace->waits) {
    json& row = waits.emplace_back(json::array());
    for (const auto& wait : of_task)
      row.push_back({wait.until, wait.since, wait.cause, wait.partner, wait.receives});
  }
  json flows = json::array();
  for (const auto& [ends, flow] : trace->flows)
    flows.push_back({ends.first, ends.second, flow.messages, flow.bytes});
  json spans = json::array();
  for (const SimulationTrace::Flow& flow : trace->course.spans())
    spans.push_back({flow.messages, flow.bytes});
  return {{"times", trace->times},
          {"waits", std::move(waits)},
          {"flows", std::move(flows)},
          {"span", trace->course.span()},
          {"spans", std::move(spans)}};
}

std::optional<SimulationTrace> trace_from(const json& of) {
  if (of.is_null()) return std::nullopt;
  SimulationTrace trace;
  of.at("times").get_to(trace.times);
  for (const json& row : of.at("waits")) {
    auto& waits = trace.waits.emplace_back();
    for (const json& wait : row)
      waits.push_back({wait.at(0), wait.at(1), wait.at(2), wait.at(3), wait.at(4)});
  }
  for (const json& one : of.at("flows")) trace.flows[{one.at(0), one.at(1)}] = {one.at(2), one.at(3)};
  std::vector<SimulationTrace::Flow> spans;
  for (const json& one : of.at("spans")) spans.push_back({one.at(0), one.at(1)});
  trace.course = {of.at("span"), std::move(spans)};
  return trace;
}

}  // namespace

void write_job(const std::filesystem::path& directory, const SwitchedJob& job) {
  write(directory / "job.json", {{"format", format_version},
                                 {"platform", job.platform},
                                 {"options", job.options},
                                 {"hosts", job.hosts},
                                 {"stations", job.stations},
                                 {"rendezvous", job.rendezvous},
                                 {"compute", job.compute},
                                 {"overhead", job.overhead},
                                 {"traces", job.traces},
                                 {"times", job.times}});
}

SwitchedJob read_job(const std::filesystem::path& directory) {
  const json of = read(directory / "job.json");
  SwitchedJob job;
  of.at("platform").get_to(job.platform);
  of.at("options").get_to(job.options);
  of.at("hosts").get_to(job.hosts);
  of.at("stations").get_to(job.stations);
  of.at("rendezvous").get_to(job.rendezvous);
  of.at("compute").get_to(job.compute);
  of.at("overhead").get_to(job.overhead);
  of.at("traces").get_to(job.traces);
  of.at("times").get_to(job.times);
  return job;
}

void write_answer(const std::filesystem::path& directory, const SwitchedAnswer& answer) {
  json tasks = json::array();
  for (const TaskOutcome& task : answer.outcome.tasks) tasks.push_back(task_of(task));
  json waiting = json::array();
  for (const TaskRuns::Waiting& one : answer.waiting) waiting.push_back({one.task, one.action, one.for_task});
  const Outcome& of = answer.outcome;
  write(directory / "outcome.json", {{"format", format_version},
                                     {"simulator", answer.simulator},
                                     {"refusal", answer.refusal},
                                     {"waiting", std::move(waiting)},
                                     {"execution", of.execution},
                                     {"events", of.events},
                                     {"bytes_sent", of.bytes_sent},
                                     {"bytes_received", of.bytes_received},
                                     {"messages_left", of.messages_left},
                                     {"stopped", of.stopped},
                                     {"marked", of.marked},
                                     {"trace", trace_of(of.trace)},
                                     {"tasks", std::move(tasks)}});
}

SwitchedAnswer read_answer(const std::filesystem::path& directory, std::size_t functions) {
  const json of = read(directory / "outcome.json");
  SwitchedAnswer answer;
  of.at("simulator").get_to(answer.simulator);
  of.at("refusal").get_to(answer.refusal);
  for (const json& one : of.at("waiting")) answer.waiting.push_back({one.at(0), one.at(1), one.at(2)});
  Outcome& outcome = answer.outcome;
  of.at("execution").get_to(outcome.execution);
  of.at("events").get_to(outcome.events);
  of.at("bytes_sent").get_to(outcome.bytes_sent);
  of.at("bytes_received").get_to(outcome.bytes_received);
  of.at("messages_left").get_to(outcome.messages_left);
  of.at("stopped").get_to(outcome.stopped);
  of.at("marked").get_to(outcome.marked);
  outcome.trace = trace_from(of.at("trace"));
  outcome.bytes_left = outcome.bytes_sent - outcome.bytes_received;
  for (const json& task : of.at("tasks")) outcome.tasks.push_back(task_from(task, functions));
  return answer;
}

}  // namespace eventspace::whatif
