#include "monitors/whatif/switched/switched_job.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include <eventspace/error.h>

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
    throw EnvironmentError(fmt::format(
        "{} is from another version of EventSpace; use the eventspace-simgrid of this installation",
        file.string()));
  return value;
}

// One list of the fields of a job, an answer and a task, for both writing and reading.
template <class Job, class With>
void for_each_field_of_job(Job& job, With with) {
  with("platform", job.platform);
  with("options", job.options);
  with("hosts", job.hosts);
  with("stations", job.stations);
  with("rendezvous", job.rendezvous);
  with("compute", job.compute);
  with("overhead", job.overhead);
  with("traces", job.traces);
  with("times", job.times);
}

template <class Answer, class With>
void for_each_field_of_answer(Answer& answer, With with) {
  with("simulator", answer.simulator);
  with("refusal", answer.refusal);
  with("execution", answer.outcome.execution);
  with("events", answer.outcome.events);
  with("bytes_sent", answer.outcome.bytes_sent);
  with("bytes_received", answer.outcome.bytes_received);
  with("messages_left", answer.outcome.messages_left);
  with("stopped", answer.outcome.stopped);
  with("marked", answer.outcome.marked);
}

template <class Task, class With>
void for_each_number_of_task(Task& task, With with) {
  with(task.execution);
  with(task.compute);
  with(task.idle);
  with(task.overhead);
  with(task.algorithmic);
  with(task.service);
  with(task.network.on_network);
  with(task.messages);
  with(task.bytes);
}

json task_of(const TaskOutcome& task) {
  json of = json::array();
  for_each_number_of_task(task, [&of](const auto& number) { of.push_back(number); });
  json functions = json::array();
  for (std::size_t i = 0; i < task.functions.size(); ++i) {
    const FunctionShare& share = task.functions[i];
    if (share.calls > 0 || share.time > 0) functions.push_back({i, share.calls, share.time, share.blocked});
  }
  of.push_back(std::move(functions));
  return of;
}

TaskOutcome task_from(const json& of, std::size_t functions) {
  TaskOutcome task;
  std::size_t at = 0;
  for_each_number_of_task(task, [&](auto& number) { of.at(at++).get_to(number); });
  task.functions.resize(functions);
  for (const json& share : of.at(at))
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
  json of{{"format", format_version}};
  for_each_field_of_job(job, [&of](const char* name, const auto& value) { of[name] = value; });
  write(directory / "job.json", of);
}

SwitchedJob read_job(const std::filesystem::path& directory) {
  const json of = read(directory / "job.json");
  SwitchedJob job;
  for_each_field_of_job(job, [&of](const char* name, auto& value) { of.at(name).get_to(value); });
  return job;
}

void write_answer(const std::filesystem::path& directory, const SwitchedAnswer& answer) {
  json of{{"format", format_version}};
  for_each_field_of_answer(answer, [&of](const char* name, const auto& value) { of[name] = value; });
  json tasks = json::array();
  for (const TaskOutcome& task : answer.outcome.tasks) tasks.push_back(task_of(task));
  json waiting = json::array();
  for (const TaskRuns::Waiting& one : answer.waiting) waiting.push_back({one.task, one.action, one.for_task});
  of["tasks"] = std::move(tasks);
  of["waiting"] = std::move(waiting);
  of["trace"] = trace_of(answer.outcome.trace);
  write(directory / "outcome.json", of);
}

SwitchedAnswer read_answer(const std::filesystem::path& directory, std::size_t functions) {
  const json of = read(directory / "outcome.json");
  SwitchedAnswer answer;
  for_each_field_of_answer(answer, [&of](const char* name, auto& value) { of.at(name).get_to(value); });
  for (const json& one : of.at("waiting")) answer.waiting.push_back({one.at(0), one.at(1), one.at(2)});
  answer.outcome.trace = trace_from(of.at("trace"));
  answer.outcome.bytes_left = answer.outcome.bytes_sent - answer.outcome.bytes_received;
  for (const json& task : of.at("tasks")) answer.outcome.tasks.push_back(task_from(task, functions));
  return answer;
}

}  // namespace eventspace::whatif
