#include "monitors/probing/groups/process_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <eventspace/error.h>
#include "monitors/probing/groups/process_table.h"
#include "monitors/probing/probes/recorded_probes.h"
#include "monitors/probing/processes/process_modules.h"
#include "paths/views/view.h"
#include "tuplespace/processes/process_environment.h"
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/processes/process_usage.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

// Slurm's comes last: its batch script has it, too, and passes it on to the launchers of MPI.
constexpr std::array rank_variables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
constexpr std::array job_variables{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PMIX_NAMESPACE", "PMI_JOBID"};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_own_process(std::int32_t pid) {
  struct ::stat status {};
  return ::geteuid() == 0 ||
         (::stat(fmt::format("/proc/{}", pid).c_str(), &status) == 0 && status.st_uid == ::geteuid());
}

std::vector<std::int32_t> ancestors_of(std::int32_t pid) {
  constexpr std::size_t most = 64;  // a limit, as ids may be reused while they are read and so form a cycle
  std::vector<std::int32_t> ancestors;
  for (std::int32_t at = parent_of_process(pid); at > 1 && ancestors.size() < most;
       at = parent_of_process(at))
    ancestors.push_back(at);
  return ancestors;
}

/// The names of the communicators in a segment, each with its latest name.
std::vector<std::string> communicators_in(const SegmentView& segment) {
  std::map<std::uint32_t, std::string> names;
  for (const SegmentName& name : segment.names())
    if (name.of == static_cast<std::uint16_t>(OwnNameOf::communicator) ||
        name.of == static_cast<std::uint16_t>(OwnNameOf::named_communicator))
      names[name.number] = name.text;
  std::vector<std::string> communicators;
  communicators.reserve(names.size());
  for (auto& [number, text] : names) communicators.push_back(std::move(text));
  return communicators;
}

bool is_attached(const SegmentView& segment) {
  return std::ranges::any_of(segment.names(),
                             [](const SegmentName& name) { return name.of == attached_segment_mark; });
}

void add_segment(std::vector<ProcessFacts>& processes, const SegmentView& segment) {
  if (is_attached(segment)) return;  // the pid is the tool's
  const ProcessSight seen(segment.owner());
  const bool is_here = seen.is_found() && may_live(seen.look([&segment] { return segment.lock(); }));
  const auto process = std::ranges::find(processes, seen.pid(), &ProcessFacts::pid);
  if (process == processes.end() || !is_here) return;
  process->recorded.push_back(fmt::format("{}/{}", segment.identity().session, segment.identity().process));
  for (std::string& name : communicators_in(segment)) process->communicators.push_back(std::move(name));
}

}  // namespace

std::string_view ProcessFacts::variable(std::string_view wanted) const {
  const auto found = environment.find(wanted);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view ProcessFacts::job() const {
  for (const char* const known : job_variables)
    if (const auto value = variable(known); !value.empty()) return value;
  return {};
}

std::string_view ProcessFacts::session() const {
  const std::string_view named = variable("EVENTSPACE_SESSION");
  const auto session_of = [](std::string_view text) { return text.substr(0, text.find('/')); };
  if (recorded.empty() ||
      std::ranges::any_of(recorded, [&](const std::string& text) { return session_of(text) == named; }))
    return named;
  return session_of(recorded.front());
}

bool ProcessFacts::is_of_job(std::string_view id) const {
  if (!rank) return false;
  for (const char* const known : job_variables)
    if (variable(known) == id) return true;
  const auto launcher = number_in<std::int32_t>(id);
  return launcher && (std::ranges::find(ancestors, *launcher) != ancestors.end() ||
                      std::ranges::find(launchers, *launcher) != launchers.end());
}

std::optional<std::uint64_t> rank_in(const std::map<std::string, std::string, std::less<>>& environment) {
  for (const char* const name : rank_variables) {
    const auto found = environment.find(name);
    if (found == environment.end()) continue;
    if (const auto rank = number_in<std::uint64_t>(found->second)) return rank;
  }
  return std::nullopt;
}

std::string own_host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::vector<ProcessFacts> facts_here() {
  const std::string host = own_host();
  std::vector<ProcessFacts> all;
  for (ProcessName& process : processes_here()) {
    const auto usage = read_process_usage(process.pid);
    const auto stat = read_process_stat(process.pid);
    if (!usage || !stat) continue;
    ProcessFacts facts;
    facts.pid = process.pid;
    facts.name = std::move(process.name);
    facts.host = host;
    facts.environment = environment_of_process(process.pid);
    facts.rank = rank_in(facts.environment);
    facts.ancestors = ancestors_of(process.pid);
    facts.threads = stat->threads;
    facts.memory = usage->memory_bytes;
    facts.is_own = is_own_process(process.pid);
    all.push_back(std::move(facts));
  }
  return all;
}

void add_launched(std::vector<ProcessFacts>& processes, const std::vector<std::string>& jobs) {
  const std::string host = own_host();
  for (const std::string& job : jobs) {
    const auto launcher = number_in<std::int32_t>(job);
    if (!launcher) continue;
    for (const LaunchedProcess& launched : process_table_of(*launcher)) {
      const auto process = std::ranges::find(processes, launched.pid, &ProcessFacts::pid);
      if (process == processes.end() || !is_same_host(launched.host, host)) continue;
      process->rank = launched.rank;
      process->launchers.push_back(*launcher);
    }
  }
}

void add_recorded(std::vector<ProcessFacts>& processes, const std::filesystem::path& directory) {
  for (ProcessFacts& process : processes) {
    process.recorded.clear();
    process.communicators.clear();
  }
  const auto prefix = fmt::format("eventspace.{}.", ::geteuid());
  for (const std::filesystem::path& file : session_files::find(directory, prefix)) {
    if (is_annex(file) || is_element_file(file) || is_control_file(file) || is_draft(file)) continue;
    try {
      add_segment(processes, SegmentView(file));
    } catch (const EnvironmentError&) {
      // The segment is gone, or `eventspace segments` reports its fault.
    }
  }
}

}  // namespace eventspace
