#include "monitors/whatif/simulation/simulate.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <variant>

#include <eventspace/error.h>
#include "monitors/whatif/simulation/deadlock.h"
#include "monitors/whatif/simulation/ethernet_transport.h"
#include "monitors/whatif/simulation/loggp_transport.h"
#include "monitors/whatif/simulation/matching.h"
#include "monitors/whatif/simulation/task_runs.h"

namespace eventspace::whatif {
namespace {

/// The connected parts of one simulation.
class Simulation final : public Matching::Tasks {
 public:
  Simulation(const Program& program, const Network& network, const SimulationSettings& settings)
      : program_(&program),
        settings_(&settings),
        stations_(settings.stations),
        random_(settings.seed),
        matching_(agenda_, network, stations_, *this) {
    if (stations_.empty()) {
      stations_.resize(program.tasks.size());
      std::iota(stations_.begin(), stations_.end(), 0U);
    }
    transport_ = std::visit([this](const auto& kind) { return transport_of(kind); }, network.kind);
    matching_.use(*transport_);
    runs_ = std::make_unique<TaskRuns>(program, settings, agenda_, matching_, *transport_);
  }

  std::optional<Outcome> run() {
    constexpr std::uint64_t asks_every = 65536;
    runs_->begin();
    while (agenda_.step()) {
      if (agenda_.events() % asks_every == 0 && !settings_->goes_on()) return std::nullopt;
    }
    const auto waiting = runs_->waiting();
    if (!waiting.empty() && !program_->cut) throw ConfigurationError(explain_deadlock(*program_, waiting));
    return outcome(waiting);
  }

  void completed(std::uint32_t task, std::uint32_t request, Picoseconds at, Picoseconds partner_began,
                 Picoseconds own_began) override {
    runs_->completed(task, request, at, partner_began, own_began);
  }

 private:
  std::unique_ptr<Transport> transport_of(const EthernetNetwork& network) {
    return std::make_unique<EthernetTransport>(agenda_, network, stations_, matching_.messages(),
                                               matching_.receives(), random_, matching_);
  }
  std::unique_ptr<Transport> transport_of(const LogGpNetwork& network) {
    return std::make_unique<LogGpTransport>(agenda_, network, stations_, matching_.messages(), matching_);
  }

  std::unique_ptr<Transport> transport_of(const SwitchedNetwork& /*network*/) {
    throw std::logic_error("switched networks are simulated elsewhere (simulate_switched.h)");
  }

  Outcome outcome(const std::vector<TaskRuns::Waiting>& waiting) {
    Outcome made;
    made.tasks = std::move(runs_->outcomes());
    for (std::size_t task = 0; task < made.tasks.size(); ++task)
      made.tasks[task].network = transport_->shares()[task];
    // A task that waits for an action that was cut off still counts up to that point.
    for (const TaskOutcome& task : made.tasks) made.execution = std::max(made.execution, task.execution);
    for (const TaskRuns::Waiting& task : waiting) made.tasks[task.task].execution = made.execution;
    made.collisions = transport_->collisions();
    made.events = agenda_.events();
    made.bytes_sent = matching_.bytes_sent();
    made.bytes_received = matching_.bytes_received();
    made.bytes_left = made.bytes_sent - made.bytes_received;
    made.messages_left = matching_.messages_left();
    made.stopped = static_cast<std::uint32_t>(waiting.size());
    made.marked = runs_->marked();
    made.trace = std::move(runs_->trace());
    return made;
  }

  const Program* program_;
  const SimulationSettings* settings_;
  std::vector<std::uint32_t> stations_;
  Agenda agenda_;
  Random random_;
  Matching matching_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<TaskRuns> runs_;
};

}  // namespace

std::optional<Outcome> simulate(const Program& program, const Network& network,
                                const SimulationSettings& settings) {
  return Simulation(program, network, settings).run();
}

}  // namespace eventspace::whatif
