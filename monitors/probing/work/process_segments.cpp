#include "monitors/probing/work/process_segments.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/running/dynamic_run.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {

ProcessSegments::ProcessSegments(std::string session, std::vector<std::string> values)
    : session_(std::move(session)), values_(std::move(values)) {
  check_session_name(session_);
  require_dynamic(session_);
}

RecordedProbes ProcessSegments::make(std::int32_t pid, ProbePlan& plan) {
  auto& of_process = segments_[pid];
  std::string name = fmt::format("{}:{}", program_of(pid), pid);
  if (!of_process.empty()) name += fmt::format(":{}", of_process.size() + 1);
  of_process.push_back(std::make_unique<AttachedSegment>(session_, name));
  AttachedSegment& segment = *of_process.back();
  for (PlannedFunction& function : plan.functions)
    function.probe.name = segment.number_of(function.function, values_);
  return segment.recorded();
}

void ProcessSegments::refresh(const std::vector<ProbedProcess>& processes) {
  std::set<std::int32_t> probed;
  for (const ProbedProcess& process : processes) {
    probed.insert(process.pid());
    if (const auto tids = process.recording_threads())
      segments_.at(process.pid()).back()->refresh(*tids, unrecorded_in(process));
  }
  std::erase_if(segments_, [&](const auto& one) { return !probed.contains(one.first); });
}

std::string program_of(std::int32_t pid) {
  for (const ProcessName& process : processes_here())
    if (process.pid == pid) return made_plain(process.name, longest_program_name);
  return "process";
}

std::uint64_t unrecorded_in(const ProbedProcess& process) {
  std::uint64_t unrecorded = 0;
  for (const auto& function : process.functions()) unrecorded += function.measured.unrecorded;
  return unrecorded;
}

std::string why_unrecorded_calls() {
  return fmt::format(
      "they were made by more than {} threads, or by signal handlers that interrupted the recording of a "
      "call",
      AttachedSegment::max_threads);
}

}  // namespace eventspace
