#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

#include <eventspace/error.h>
#include "monitors/cli/checked_values.h"
#include "monitors/cli/commands.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/drawing/graphviz.h"
#include "monitors/metrics/plots/charts.h"
#include "monitors/probing/balance/balance_picture.h"
#include "monitors/probing/balance/balance_rounds.h"
#include "monitors/probing/code/instruction.h"
#include "monitors/probing/groups/named_groups.h"
#include "monitors/probing/groups/process_options.h"
#include "monitors/probing/nodes/node_work.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

struct BalanceOptions {
  BalanceRequest request;
  NodeChoice nodes;
  double explained{90};
  double slow{10};
  double unbalanced{2};
  double budget{2};
  std::filesystem::path plot;
  Format format{Format::text};
};

Json percent_json(double share, Format format) {
  if (format != Format::text) return Json(share);
  return Json(fmt::format("{:.1f}%", 100 * share));
}

void print_findings(const std::vector<BalanceFinding>& findings, Format format) {
  std::vector<std::string> names{"round",     "function", "caller",      "processes", "calls",
                                 "mean_ns",   "least_ns", "greatest_ns", "slowest",   "share",
                                 "imbalance", "lost",     "verdict",     "module"};
  if (format == Format::text)
    for (std::string& name : names)
      if (name.ends_with("_ns")) name.resize(name.size() - 3);
  ResultTable table(names);
  for (const BalanceFinding& one : findings) {
    std::vector<Json> row{one.round, one.name.function, one.caller, one.calls.count,
                          static_cast<std::uint64_t>(one.calls.mean())};
    if (one.verdict == BalanceVerdict::too_often) {
      row.insert(row.end(), 7, Json());
    } else {
      const Spread& total = one.total_ns;
      for (const std::uint64_t ns : {static_cast<std::uint64_t>(total.mean()), total.least, total.greatest})
        row.push_back(time_cell(ns, format));
      row.emplace_back(total.greatest_at);
      for (const double share : {one.share, total.imbalance(), one.lost})
        row.push_back(percent_json(share, format));
    }
    row.emplace_back(to_string(one.verdict));
    row.emplace_back(one.name.module);
    table.add(std::move(row));
  }
  table.print(std::cout, format);
}

void report_rounds(const BalanceRounds& rounds, const BalanceRequest& request) {
  const BalanceSearch& search = rounds.search();
  print_message(
      fmt::format("{}: {:.1f}% of the time was spent in calls from '{}', and {:.1f}% of that is explained; "
                  "probes cost at most {:.2f}% ({} per call; --budget {:.2g}%), and threads were stopped for "
                  "at most {}",
                  counted(rounds.processes(), "process"), 100 * search.measured(), request.loop,
                  100 * search.explained(), 100 * rounds.cost(), short_duration(rounds.call_cost()),
                  100 * request.budget, short_duration(rounds.longest_stop())));
  constexpr double little = 0.2;
  if (search.measured() < little)
    print_message(
        "only calls that begin and end within a round are measured: use a longer --round, or set the work "
        "loop with --loop");
}

void check_options(BalanceOptions& options) {
  BalanceRequest& request = options.request;
  GroupOrder& order = request.order;
  if (order.choice.is_empty() && options.nodes.pathmap.empty()) throw ConfigurationError(ask_for_processes());
  if (!options.plot.empty()) check_plot_file(options.plot);
  require_glob("the pattern of --module", order.modules);
  order.choice = processes_on(options.nodes, order.choice);
  check_choice(order.choice);
  if (!order.choice.named_groups().empty()) order.groups = groups_needed(order.choice, NamedGroups::all());
  request.goal.explained = options.explained / 100;
  request.goal.slow = options.slow / 100;
  request.goal.unbalanced = options.unbalanced / 100;
  request.budget = options.budget / 100;
  if (!can_decode())
    throw EnvironmentError(
        "this build cannot put probes into programs: it was built without Zydis (Debian: libzydis-dev)");
}

int balance(BalanceOptions& options) {
  check_options(options);
  // Set up before the first probe is in, and before threads of a network are started.
  StopSignals signals;
  const auto work = work_on(options.nodes);
  BalanceRounds rounds(*work, options.request);
  rounds.run(signals);
  const auto& findings = rounds.search().findings();
  if (findings.empty()) {
    print_message("nothing was measured: no process could be probed, or the first round was interrupted");
    return exit_unreachable;
  }
  print_findings(findings, options.format);
  report_rounds(rounds, options.request);
  if (!options.plot.empty())
    render_graph(draw_balance(findings).dot(), options.plot, std::chrono::seconds(60));
  return exit_fine;
}

void add_options(CLI::App& app, BalanceOptions& options) {
  BalanceRequest& request = options.request;
  add_nodes(app, options.nodes);
  add_processes(app, request.order.choice);
  app.add_option("--loop", request.loop, "Measure first the functions that this function calls [main]")
      ->type_name("GLOB");
  app.add_option("--module", request.order.modules,
                 "Only functions of programs and libraries with this path or file name [all]")
      ->type_name("GLOB");
  add_duration(app, "--round", request.round, "Duration of each round of probes [1s]");
  const auto percentage = [&app](const char* name, double& value, const char* help) {
    app.add_option(name, value, help)->type_name("PERCENT")->check(number_from(0, 100));
  };
  percentage("--explain", options.explained, "Stop when this share of the measured time is explained [90]");
  percentage("--slow", options.slow,
             "Measure the callees of functions that take this share of the time [10]");
  percentage(
      "--unbalanced", options.unbalanced,
      "Measure the callees of functions in which the slowest process loses this share of the time [2]");
  percentage("--budget", options.budget,
             "Largest overhead of the probes; probes that are passed too often are removed [2]");
  app.add_option("--rounds", request.goal.rounds, "Stop after this many rounds [12]")
      ->type_name("N")
      ->check(whole_number_from(1, 100));
  app.add_option("--plot", options.plot, "Draw the rounds to this file: .svg, .png, .pdf or .dot")
      ->type_name("FILE");
  add_format(app, options.format);
}

}  // namespace

Command balance_command() {
  const CommandGuide guide{
      .group = CommandGroup::steering,
      .examples = {{"eventspace balance --name lmp --loop 'LAMMPS_NS::Verlet::run'",
                    "the slow part of the time step, and the process in which it is slow"},
                   {"eventspace balance --job 4711 --round 5s --plot balance.svg",
                    "an MPI job by the pid of `mpirun`, with a picture"},
                   {"eventspace balance --hosts 'n[1-4]' --name solver --format json",
                    "on several machines"}},
      .statuses = {{exit_unreachable, "no process could be probed, or no such function was found"}}};
  return {"balance", "Find the slow functions and processes of running programs, in rounds of probes",
          with_options<BalanceOptions, BalanceOptions&>(add_options, balance), guide};
}

}  // namespace eventspace
