// The program eventspace-simgrid: simulates a program of actions in SimGrid, for `eventspace whatif`. Its
// input and output are files of the directory that it is given (switched_job.h).
#include <fmt/format.h>

#include <xbt/log.h>
#include <fstream>
#include <iostream>
#include <simgrid/s4u.hpp>

#include <eventspace/error.h>
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/switched/simgrid_tasks.h"
#include "monitors/whatif/switched/switched_job.h"
#include "tuplespace/parsing/number_in.h"

// From simgrid/version.h, which cannot be included before other SimGrid headers.
extern "C" void sg_version_get(int* major, int* minor, int* patch);

namespace eventspace::whatif {
namespace {

namespace s4u = simgrid::s4u;

// Sorts "node-10" after "node-9".
bool is_before(const s4u::Host* one, const s4u::Host* other) {
  const auto split = [](const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    return std::tuple(name.substr(0, digits), leading_number<std::uint64_t>(name.substr(digits)), name);
  };
  return split(one->get_name()) < split(other->get_name());
}

std::vector<s4u::Host*> stations_of(const s4u::Engine& engine, const SwitchedJob& job) {
  if (job.hosts.empty()) {
    std::vector<s4u::Host*> all = engine.get_all_hosts();
    std::sort(all.begin(), all.end(), is_before);
    return all;
  }
  std::vector<s4u::Host*> stations;
  for (const std::string& name : job.hosts) {
    stations.push_back(engine.host_by_name_or_null(name));
    if (stations.back() == nullptr)
      throw ConfigurationError(
          fmt::format("the platform has no host '{}', which is listed as a station", name));
  }
  return stations;
}

std::vector<s4u::Host*> hosts_of_tasks(const s4u::Engine& engine, const SwitchedJob& job, std::size_t tasks) {
  const std::vector<s4u::Host*> stations = stations_of(engine, job);
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const std::uint32_t station = job.stations.empty() ? task : job.stations[task];
    if (station >= stations.size())
      throw ConfigurationError(fmt::format("the platform has {} hosts, and task {} is on host number {}",
                                           stations.size(), task, station));
    hosts.push_back(stations[station]);
  }
  return hosts;
}

Program read_program(const std::filesystem::path& directory) {
  const auto file = directory / "program.actions";
  std::ifstream in(file, std::ios::binary);
  if (!in) throw EnvironmentError(fmt::format("cannot read {}", file.string()));
  return read_actions(in, file.string());
}

void simulate_here(const std::filesystem::path& directory, s4u::Engine& engine, SwitchedAnswer& answer) {
  const SwitchedJob job = read_job(directory);
  const Program program = read_program(directory);
  for (const std::string& option : job.options) s4u::Engine::set_config(option);
  engine.load_platform(job.platform.empty() ? (directory / "platform.xml").string() : job.platform);
  const auto hosts = hosts_of_tasks(engine, job, program.tasks.size());
  SimgridTasks tasks(program, job, hosts);
  tasks.run();
  answer.waiting = tasks.waiting();
  answer.outcome = tasks.outcome();
}

int run(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "eventspace-simgrid is started by `eventspace whatif` for switched networks\n";
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  // SimGrid's messages go to standard error, which `eventspace` shows if the answer is missing.
  xbt_log_control_set("root.thresh:critical");
  s4u::Engine engine(&argc, argv);
  // Tasks need little memory for calls, and there may be many.
  s4u::Engine::set_config("contexts/stack-size:256");
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  SwitchedAnswer answer{.simulator = fmt::format("SimGrid {}.{}", major, minor)};
  try {
    simulate_here(directory, engine, answer);
  } catch (const ConfigurationError& error) {
    answer.refusal = error.what();
  }
  write_answer(directory, answer);
  return 0;
}

}  // namespace
}  // namespace eventspace::whatif

int main(int argc, char** argv) {
  try {
    return eventspace::whatif::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "eventspace-simgrid: " << error.what() << '\n';
    return 1;
  }
}
