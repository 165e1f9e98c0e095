#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <eventspace/error.h>
#include "monitors/charts/plot_file.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/options.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/export/partial_output.h"
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/actions/amounts.h"
#include "monitors/whatif/actions/faulty_input.h"
#include "monitors/whatif/actions/smpi_trace.h"
#include "monitors/whatif/asking/answer.h"
#include "monitors/whatif/asking/asked_program.h"
#include "monitors/whatif/asking/profile_plots.h"
#include "monitors/whatif/asking/scenario_plot.h"
#include "monitors/whatif/networks/network_file.h"
#include "monitors/whatif/recording/simulated_recording.h"
#include "monitors/whatif/simulation/placement.h"
#include "monitors/whatif/simulation/simulate.h"
#include "monitors/whatif/switched/platform_text.h"
#include "monitors/whatif/switched/simulate_switched.h"

namespace eventspace::whatif {
namespace {

struct WhatifOptions {
  std::filesystem::path file;
  std::vector<std::string> networks;
  std::vector<std::string> compute{"x1"};
  std::vector<std::string> overhead{"x1"};
  std::string baseline{"fitted"};
  std::string place{"block"};
  std::uint32_t tasks_per_node{1};
  std::uint64_t seed{1};
  double speed{1e9};
  std::int64_t recorder_ns{40};
  AnswerTable table{AnswerTable::all};
  Format format{Format::text};
  std::filesystem::path actions, trace, network, platform, recording;
  std::filesystem::path plot, flows_plot, course_plot;
};

/// One simulation to run: the network, the placement and the speed-up factors.
struct Scenario {
  Network network;
  double compute{1};
  double overhead{1};
  bool is_baseline{false};
};

double factor(const std::string& text, const char* option) {
  if (const auto value = factor_from(text)) return *value;
  throw ConfigurationError(
      fmt::format("found '{}' for {}; expected a factor such as x0.5, from x0 to x1000000", text, option));
}

Network network_named(const std::string& name, const AskedProgram& asked) {
  if (name != "fitted") return find_network(name);
  if (asked.fitted) return asked.fitted->network;
  throw ConfigurationError(
      fmt::format("{} is not a recording, so a network cannot be fitted to it", asked.program.source));
}

// The baseline comes first: its error shows how far to trust the other answers.
std::vector<Scenario> scenarios_of(const WhatifOptions& options, const AskedProgram& asked) {
  std::vector<Scenario> scenarios;
  if (asked.fitted || options.baseline != "fitted")
    scenarios.push_back({network_named(options.baseline, asked), 1, 1, true});
  for (const std::string& name : options.networks) {
    const Network network = network_named(name, asked);
    for (const std::string& compute : options.compute) {
      for (const std::string& overhead : options.overhead)
        scenarios.push_back({network, factor(compute, "--compute"), factor(overhead, "--overhead")});
    }
  }
  return scenarios;
}

template <class Write>
void write_stream(const std::filesystem::path& file, const std::filesystem::path& name, const Write& write) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) write(out);
  out.close();
  if (!out) throw EnvironmentError(fmt::format("cannot write {}", name.string()));
}

// A file gets its name when it is complete. A failed write leaves no new file and keeps an older one
// unchanged. Pipes and devices are written directly.
template <class Write>
void write_file(const std::filesystem::path& file, const Write& write) {
  if (file.empty()) return;
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    return write_stream(file, file, write);
  exports::PartialOutput output({.final_place = file, .replaces = true});
  write_stream(output.place(), file, write);
  output.commit();
}

void write_platform(const std::filesystem::path& file, const AskedProgram& asked,
                    const std::vector<Scenario>& scenarios) {
  if (file.empty()) return;
  for (const Scenario& scenario : scenarios) {
    const auto* const of = std::get_if<SwitchedNetwork>(&scenario.network.kind);
    if (of == nullptr || of->shape == SwitchedNetwork::Shape::platform) continue;
    return write_file(
        file, [&](std::ostream& out) { out << platform_text(scenario.network, asked.program.tasks.size()); });
  }
  throw ConfigurationError("--write-platform needs a --network that is a switch, a tree or a fat-tree");
}

void write_files(const WhatifOptions& options, const AskedProgram& asked,
                 const std::vector<Scenario>& scenarios) {
  write_platform(options.platform, asked, scenarios);
  write_file(options.actions, [&](std::ostream& out) { write_actions(out, asked.program); });
  write_file(options.trace, [&](std::ostream& out) {
    const std::string note = write_smpi_trace(out, asked.program, {options.speed});
    if (!note.empty()) std::cerr << "eventspace: note: " << note << '\n';
  });
  if (options.network.empty()) return;
  const Network fitted = network_named("fitted", asked);
  write_file(options.network, [&](std::ostream& out) { write_network(out, fitted); });
}

bool needs_traces(const WhatifOptions& options) {
  return needs_trace(options.table) || !options.recording.empty() || !options.flows_plot.empty() ||
         !options.course_plot.empty();
}

Answer answer_of(const Scenario& scenario, const WhatifOptions& options, const Program& program,
                 StopSignals& signals) {
  SimulationSettings settings{.compute = scenario.compute,
                              .overhead = scenario.overhead,
                              .seed = options.seed,
                              .traces = needs_traces(options),
                              .times = !options.recording.empty()};
  // The baseline is the recorded run; the network fitted to it does not depend on the placement of tasks.
  if (!scenario.is_baseline)
    settings.stations =
        place_tasks(program.tasks.size(), options.place, options.tasks_per_node, scenario.network);
  settings.goes_on = [&signals] { return !signals.stopped(); };
  std::string simulator = "EventSpace";
  auto outcome = std::holds_alternative<SwitchedNetwork>(scenario.network.kind)
                     ? simulate_switched(program, scenario.network, settings, simulator)
                     : simulate(program, scenario.network, settings);
  if (!outcome) throw EnvironmentError("stopped by a signal: the simulation is not complete");
  return {scenario.network,     scenario.compute,    scenario.overhead,
          scenario.is_baseline, *std::move(outcome), std::move(simulator)};
}

void print_notes(const AskedProgram& asked, const std::vector<Answer>& answers) {
  const auto note = [](const std::string& text) { std::cerr << "eventspace: note: " << text << '\n'; };
  if (const std::string warning = warning_of(asked.program, answers); !warning.empty())
    std::cerr << "eventspace: WARNING: " << warning << '\n';
  for (const std::string& text : asked.notes) note(text);
  if (asked.fitted) {
    for (const std::string& text : asked.fitted->notes) note("fitted: " + text);
  }
  const std::string limits = answers.empty() ? "" : limits_of(answers.front().outcome);
  if (!limits.empty()) note("simulated as recorded, but may differ on another network: " + limits);
}

void check_plot_files(const WhatifOptions& options) {
  if (!options.plot.empty()) check_plot_file(options.plot);
  if (!options.flows_plot.empty()) check_plot_file(options.flows_plot, "--plot-flows");
  if (!options.course_plot.empty()) check_plot_file(options.course_plot, "--plot-course");
}

// REQUIRES: at least one answer, if plots were requested.
void draw_plots(const WhatifOptions& options, const Program& program, const std::vector<Answer>& answers) {
  const auto draw = [](const std::filesystem::path& file, const auto& picture) {
    if (!file.empty()) write_plot(picture(), file);
  };
  draw(options.plot, [&] { return draw_scenarios(program, answers); });
  draw(options.flows_plot, [&] { return draw_flows(program, answers.back()); });
  draw(options.course_plot, [&] { return draw_course(answers); });
}

// Without answers, only the program itself can be written.
void check_answers(const WhatifOptions& options, const std::vector<Answer>& answers) {
  const bool has_written = !options.actions.empty() || !options.trace.empty();
  const bool needs_answer = !options.plot.empty() || needs_traces(options);
  if (answers.empty() && (!has_written || needs_answer))
    throw ConfigurationError("no network was given; add --network NETWORK or --baseline NETWORK");
}

int run(const WhatifOptions& options) {
  check_plot_files(options);
  StopSignals signals;
  const auto asked = read_asked_program(
      options.file, {options.recorder_ns, options.speed, [&signals](double) { return !signals.stopped(); }});
  if (!asked) throw EnvironmentError("stopped by a signal: the program was not read to its end");
  const std::vector<Scenario> scenarios = scenarios_of(options, *asked);
  write_files(options, *asked, scenarios);
  std::vector<Answer> answers;
  answers.reserve(scenarios.size());
  for (const Scenario& scenario : scenarios)
    answers.push_back(answer_of(scenario, options, asked->program, signals));
  print_answers(std::cout, options.format, options.table, asked->program, answers);
  std::cout.flush();
  print_notes(*asked, answers);
  check_answers(options, answers);
  if (!options.recording.empty())
    write_simulated_recording(options.recording, asked->program, answers.back().outcome);
  draw_plots(options, asked->program, answers);
  return exit_fine;
}

int run_guarded_for_faults(const WhatifOptions& options) {
  try {
    return run(options);
  } catch (const FaultyInput& faulty) {
    for (const std::string& line : faulty.lines()) std::cerr << line << '\n';
    throw;
  }
}

void add_scenario_options(CLI::App& app, WhatifOptions& options) {
  app.add_option(
         "--network", options.networks,
         fmt::format("Network: {}, fitted (that of the recording), or a file in YAML; several make a table",
                     fmt::join(shipped_network_names(), ", ")))
      ->type_name("NETWORK");
  app.add_option("--compute", options.compute, "Multiply computing time by this factor, such as x0.5 [x1]")
      ->type_name("FACTOR");
  app.add_option("--overhead", options.overhead,
                 "Multiply the time in the message library by this factor [x1]")
      ->type_name("FACTOR");
  app.add_option("--baseline", options.baseline,
                 "Network that the others are compared with [fitted; none if FILE is not a recording]")
      ->type_name("NETWORK");
  app.add_option("--tasks-per-node", options.tasks_per_node, "Number of tasks on each station")
      ->check(whole_number_from(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--place", options.place,
                 "Place tasks on stations: block, cyclic, or the station of each task, such as 0,0,1,1")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the random numbers")->capture_default_str();
}

void add_program_options(CLI::App& app, WhatifOptions& options) {
  app.add_option("FILE", options.file,
                 "Recording, program of actions, or time-independent trace of SimGrid's SMPI")
      ->required();
  app.add_option("--speed", options.speed, "Operations per second of a processor, for a trace of SMPI")
      ->check(number_from(1, 1e18))
      ->capture_default_str();
  app.add_option("--recorder-cost", options.recorder_ns,
                 "Subtract this overhead of recording an event, in nanoseconds, from computing time")
      ->check(whole_number_from(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--write-actions", options.actions, "Write the program of actions to this file")
      ->type_name("OUT");
  app.add_option("--write-trace", options.trace,
                 "Write the program to this trace of SMPI, for smpirun -replay")
      ->type_name("OUT");
  app.add_option("--write-platform", options.platform,
                 "Write the platform of the first switched network to this file, in SimGrid's XML")
      ->type_name("OUT");
  app.add_option("--write-network", options.network, "Write the fitted network to this file, in YAML")
      ->type_name("OUT");
}

void add_plot_options(CLI::App& app, WhatifOptions& options) {
  app.add_option(
         "--plot", options.plot,
         "Draw computing, overhead and blocked time of each answer to this file: .svg, .png, .pdf or .dot")
      ->type_name("OUT");
  app.add_option("--plot-flows", options.flows_plot,
                 "Draw the bytes and messages between tasks, for the last answer")
      ->type_name("OUT");
  app.add_option("--plot-course", options.course_plot,
                 "Draw the bytes and messages sent over time, for each answer")
      ->type_name("OUT");
}

Command make_command() {
  const CommandGuide guide{
      .group = CommandGroup::recordings,
      .place = 6,
      .examples = {{"eventspace whatif run.evs --network ethernet100", "the same program on Fast Ethernet"},
                   {"eventspace whatif run.evs --network infinite",
                    "how much of its waiting is not caused by the network"},
                   {"eventspace whatif run.evs --network ethernet10 --network ethernet100 --overhead x1 "
                    "--overhead x0.1",
                    "four bars: two networks, and a message library ten times as fast"},
                   {"eventspace whatif run.evs --network my.yaml --tasks-per-node 4 --format json",
                    "a network of your own, with four tasks on each station"}},
      .statuses = {{exit_usage, "the program or the network has faults, or its tasks deadlock"}}};
  return {"whatif", "Predict the run time of a recorded program on another network",
          with_options<WhatifOptions>(
              [](CLI::App& app, WhatifOptions& options) {
                add_program_options(app, options);
                add_scenario_options(app, options);
                add_choice(app, "--table", options.table,
                           {{"all", AnswerTable::all},
                            {"summary", AnswerTable::summary},
                            {"tasks", AnswerTable::tasks},
                            {"functions", AnswerTable::functions},
                            {"path", AnswerTable::path},
                            {"flows", AnswerTable::flows},
                            {"course", AnswerTable::course}},
                           "Print this table; all prints summary and tasks (CSV: tasks) [all]");
                add_plot_options(app, options);
                app.add_option("--write-recording", options.recording,
                               "Write the run of the last answer to this recording")
                    ->type_name("OUT");
                add_format(app, options.format);
              },
              run_guarded_for_faults),
          guide};
}

}  // namespace
}  // namespace eventspace::whatif

namespace eventspace {

Command whatif_command(const CommandContext& /*context*/) { return whatif::make_command(); }

}  // namespace eventspace
