#include "monitors/whatif/switched/simulate_switched.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <eventspace/error.h>
#include "monitors/servers/child_process.h"
#include "monitors/servers/find_program.h"
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/simulation/deadlock.h"
#include "monitors/whatif/switched/platform_text.h"
#include "monitors/whatif/switched/switched_job.h"
#include "tuplespace/system/temporary_folder.h"

namespace eventspace::whatif {
namespace {

constexpr const char* simgrid_program = "eventspace-simgrid";

/// A directory for the files of one simulation.
class JobDirectory {
 public:
  JobDirectory() {
    std::string name = (temporary_folder() / "eventspace-whatif-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw EnvironmentError::from_errno(fmt::format("cannot make a directory {}", name), errno);
    path_ = name;
  }
  ~JobDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  JobDirectory(const JobDirectory&) = delete;
  JobDirectory& operator=(const JobDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

void write_text(const std::filesystem::path& file, const auto& write) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  write(out);
  out.close();
  if (!out) throw EnvironmentError(fmt::format("cannot write {}", file.string()));
}

std::string last_line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last;
}

std::size_t stations_needed(const Program& program, const SimulationSettings& settings) {
  if (settings.stations.empty()) return program.tasks.size();
  return *std::ranges::max_element(settings.stations) + std::size_t{1};
}

void write_files(const std::filesystem::path& directory, const Program& program, const Network& network,
                 const SimulationSettings& settings) {
  const auto& of = std::get<SwitchedNetwork>(network.kind);
  const std::size_t stations = stations_needed(program, settings);
  write_text(directory / "program.actions", [&](std::ostream& out) { write_actions(out, program); });
  write_text(directory / "platform.xml", [&](std::ostream& out) { out << platform_text(network, stations); });
  write_job(directory,
            {.platform = of.platform.empty() ? "" : std::filesystem::absolute(of.platform).string(),
             .options = simgrid_options(of),
             .hosts = platform_hosts(network, stations),
             .stations = settings.stations,
             .rendezvous = of.rendezvous,
             .compute = settings.compute,
             .overhead = settings.overhead,
             .traces = settings.traces,
             .times = settings.times});
}

// False if it was told to stop.
bool run_to_its_end(const std::filesystem::path& directory, const std::function<bool()>& goes_on) {
  if (!find_program(simgrid_program))
    throw EnvironmentError(
        fmt::format("switched networks need {}, which was not found; build EventSpace on a machine "
                    "with SimGrid (Debian: libsimgrid-dev)",
                    simgrid_program));
  ChildSpec spec;
  spec.command = {simgrid_program, directory.string()};
  spec.output = directory / "said";
  ChildProcess child = ChildProcess::start(spec);
  auto ended = child.poll();
  for (; !ended; ended = child.poll()) {
    if (!goes_on()) {
      child.signal(SIGKILL);
      child.wait();
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (!ended->is_fine())
    throw ConfigurationError(fmt::format("SimGrid could not simulate the network ({} {}): {}",
                                         simgrid_program, to_string(*ended), last_line_of(spec.output)));
  return true;
}

}  // namespace

std::optional<Outcome> simulate_switched(const Program& program, const Network& network,
                                         const SimulationSettings& settings, std::string& simulator) {
  const JobDirectory directory;
  write_files(directory.path(), program, network, settings);
  if (!run_to_its_end(directory.path(), settings.goes_on)) return std::nullopt;
  SwitchedAnswer answer = read_answer(directory.path(), program.functions.size());
  simulator = answer.simulator;
  if (!answer.refusal.empty())
    throw ConfigurationError(fmt::format("network {}: {}", network.name, answer.refusal));
  if (!answer.waiting.empty() && !program.cut)
    throw ConfigurationError(explain_deadlock(program, answer.waiting));
  return std::move(answer.outcome);
}

}  // namespace eventspace::whatif
