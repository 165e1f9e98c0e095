#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include <eventspace/error.h>
#include "monitors/budget/budget_keeper.h"
#include "monitors/cli/checked_values.h"
#include "monitors/cli/command.h"
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/keys_on_input.h"
#include "monitors/cli/options.h"
#include "monitors/running/application_run.h"
#include "monitors/running/dynamic_run.h"
#include "monitors/running/message_library.h"
#include "monitors/running/run_page.h"
#include "monitors/running/run_recorder.h"
#include "monitors/servers/segment_list.h"
#include "monitors/servers/server_fleet.h"
#include "monitors/servers/server_report.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "pathmaps/sessions/session_security.h"

namespace eventspace {
namespace {

struct RunOptions {
  std::filesystem::path pathmap;
  std::string session;
  std::vector<std::string> command;
  bool server_up{false};
  bool no_collect{false};
  bool kill_on_failure{false};
  bool keys_on_input{false};
  std::string mpi{"auto"};
  bool pvm{false};
  std::filesystem::path shared;
  RunRecording recording;
  bool has_page{false};
  std::string progress;
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
};

ApplicationRun::Config make_config(const RunOptions& options, const ServerFleet& fleet) {
  ApplicationRun::Config config{fleet.plan,      fleet.pathmap,       fleet.session,
                                options.command, !options.no_collect, options.kill_on_failure};
  if (config.command.empty()) config.command = fleet.plan->command;
  if (config.command.empty()) {
    throw ConfigurationError(fmt::format("pathmap {} has no `command`; give one: eventspace run {} -- CMD",
                                         fleet.plan->name, options.pathmap.string()));
  }
  return config;
}

void require_shared_memory(const ApplicationRun::Config& config) {
  const std::filesystem::path directory = segment_directory();
  if (::access(directory.c_str(), W_OK | X_OK) == 0) return;
  const auto& elements = config.plan->elements;
  const bool shares =
      std::any_of(elements.begin(), elements.end(), [](const auto& one) { return one.is_shared(); });
  if (shares)
    throw EnvironmentError::from_errno(
        fmt::format("cannot make shared elements in {} (EVENTSPACE_SHM_DIR)", directory.string()), errno);
  if (!config.collect || !config.plan->collect) return;
  throw EnvironmentError::from_errno(
      fmt::format("cannot make trace elements in {} (EVENTSPACE_SHM_DIR; --no-collect runs without them)",
                  directory.string()),
      errno);
}

// A monitor could not tell two applications in one session apart.
void require_free_session(const std::vector<SegmentEntry>& entries, const ServerFleet& fleet) {
  for (const SegmentEntry& entry : entries) {
    if (entry.state != SegmentState::alive || !fleet.plan->find_process(entry.identity.process)) continue;
    throw EnvironmentError(
        fmt::format("process {} (pid {}) of session '{}' is already running; choose another --session",
                    entry.identity.process, entry.pid, fleet.session));
  }
}

void clear_orphans(const std::vector<SegmentEntry>& entries, const Plan& plan) {
  std::size_t orphans = 0;
  for (const SegmentEntry& entry : entries) orphans += entry.is_orphan() ? 1 : 0;
  const std::size_t removed = remove_orphans(entries, plan.limits.keep);
  if (orphans == removed) return;
  std::cerr << fmt::format(
      "eventspace: {} of dead processes of this session {} kept; see `eventspace segments`\n",
      counted(orphans - removed, "segment"), orphans - removed == 1 ? "is" : "are");
}

// The servers that this run started; the destructor stops them.
class OwnServers {
 public:
  OwnServers(ServerFleet fleet, std::chrono::nanoseconds timeout, SignalWaiter& signals)
      : fleet_(std::move(fleet)) {
    bool stop = false;
    const auto outcomes = start_servers(fleet_, timeout, [&stop, &signals] {
      for (auto signal = signals.next({}); signal; signal = signals.next({}))
        stop = stop || *signal != SIGCHLD;
      return stop;
    });
    print_outcomes(std::cerr, Format::text, outcomes);
    if (!all_run(outcomes))
      throw EnvironmentError("not all servers could be started; the application was not started");
    std::vector<NodeIndex> started;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].state == ServerState::started) started.push_back(fleet_.nodes[i]);
    }
    fleet_.nodes = std::move(started);
  }
  ~OwnServers() {
    try {
      stop_servers(fleet_, std::chrono::seconds(5));
    } catch (const std::exception& error) {
      print_message(std::string("cannot stop the servers: ") + error.what());
    }
  }
  OwnServers(const OwnServers&) = delete;
  OwnServers& operator=(const OwnServers&) = delete;

 private:
  ServerFleet fleet_;
};

// The options that belong to the servers and processes of a pathmap.
void require_pathmap(const RunOptions& options) {
  const char* const option = options.server_up           ? "--server-up"
                             : options.kill_on_failure   ? "--kill-on-failure"
                             : !options.progress.empty() ? "--progress GLOB"
                                                         : nullptr;
  if (option == nullptr) return;
  throw ConfigurationError(
      fmt::format("{} needs a pathmap: eventspace run PATHMAP {} -- CMD", option, option));
}

std::vector<std::string> watched_words(const RunOptions& options) {
  std::vector<std::string> words{options.pathmap.string()};
  if (!options.session.empty()) words.insert(words.end(), {"--session", options.session});
  return words;
}

std::vector<std::string> page_words(const RunOptions& options) {
  std::vector<std::string> words = watched_words(options);
  if (!options.progress.empty()) words.insert(words.end(), {"--progress", options.progress});
  return words;
}

// Where all nodes are on this machine, no servers are needed.
std::vector<std::string> recorder_words(const RunOptions& options, const Plan& plan) {
  std::vector<std::string> words = watched_words(options);
  const bool is_here =
      std::ranges::all_of(plan.nodes, [](const NodePlan& node) { return node.launch.empty(); });
  if (is_here && !options.server_up) words.emplace_back("--direct");
  return words;
}

int run(const RunOptions& options) {
  if (options.pathmap.empty()) {
    require_pathmap(options);
    if (options.keys_on_input) exec_with_keys(options.session, options.command);
    return run_dynamic({options.session, options.command, !options.no_collect,
                        options.pvm ? MessageLibrary::pvm : message_library_named(options.mpi),
                        options.shared, options.recording, options.has_page});
  }
  if (!options.shared.empty())
    throw ConfigurationError("--shared excludes a pathmap: eventspace run --shared DIR -- CMD");
  if (options.mpi != "auto" || options.pvm)
    throw ConfigurationError("--mpi and --pvm exclude a pathmap: eventspace run --mpi MPI -- CMD");
  const ServerFleet fleet = make_fleet(options.pathmap, options.session, "");
  ApplicationRun::Config config = make_config(options, fleet);
  if (needs_keys(*fleet.plan)) config.keys = use_session_keys(fleet.session);
  require_shared_memory(config);
  const std::vector<SegmentEntry> entries = list_segments(fleet.session, fleet.plan->annex_directories());
  require_free_session(entries, fleet);
  clear_orphans(entries, *fleet.plan);
  SignalWaiter signals{SIGINT, SIGTERM, SIGHUP, SIGCHLD};
  std::optional<OwnServers> servers;
  if (options.server_up) servers.emplace(fleet, options.timeout, signals);
  std::optional<RunRecorder> recorder;
  if (options.recording.is_wanted())
    recorder.emplace(options.recording, recorder_words(options, *fleet.plan), fleet.session);
  std::optional<RunPage> page;
  if (options.has_page) page.emplace(page_words(options), fleet.session, recorder.has_value());
  ApplicationRun application(config, std::cerr);
  std::optional<BudgetKeeper> budget(std::in_place, options.recording.own_budget(),
                                     Watched{fleet.plan, fleet.session, fleet.pathmap},
                                     BudgetKeeper::of_a_run);
  const bool is_fine = application.wait(signals);
  const int budget_status = budget->status(exit_fine);
  budget.reset();
  if (page) page->note_end();
  const int recorder_status = recorder ? recorder->finish() : exit_fine;
  if (page) page->stay();
  if (!is_fine) return exit_found_wrong;
  return recorder_status != exit_fine ? recorder_status : budget_status;
}

void add_page(CLI::App& app, RunOptions& options) {
  app.add_flag("--web", options.has_page,
               "Show the run on a page in a browser, and its last state until Ctrl-C");
  app.add_option("--progress", options.progress,
                 "With --web: paths that each step of the application uses once, for the slowdown by a trial "
                 "[progress]")
      ->type_name("GLOB")
      ->needs("--web");
}

void add_options(CLI::App& app, RunOptions& options) {
  app.add_option("PATHMAP", options.pathmap,
                 "Pathmap (YAML) [none: the command is one process of a session without a pathmap]");
  app.add_option("CMD", options.command, "Command of every process, after -- [the pathmap's `command`]");
  add_session(app, options.session);
  app.add_flag("--server-up", options.server_up,
               "Start the servers of all nodes first, and stop them at the end");
  add_timeout(app, options.timeout, "10s");
  app.add_flag("--no-collect", options.no_collect, "Do not record events");
  const std::vector<std::string> implementations{"auto", "openmpi", "mpich", "none"};
  const auto choose = [&options, implementations](std::size_t chosen) {
    options.mpi = implementations[chosen];
  };
  add_choice_of(app, "--mpi", implementations, choose,
                "Without a pathmap: record calls of this MPI [auto: the MPI of the command's launcher or "
                "program, or PVM if it is linked with it]")
      ->excludes(app.add_flag(
          "--pvm", options.pvm,
          "Record calls of PVM, if the command is not recognised as a PVM program, such as a script"));
  app.add_option("--shared", options.shared,
                 "Directory that all machines of an MPI job or a PVM program share, to observe all its ranks "
                 "or tasks [only those on this machine]")
      ->type_name("DIR");
  app.add_option("--record", options.recording.file, "Record the whole run in this file")->type_name("FILE");
  app.add_flag("--force", options.recording.replaces, "With --record: replace an existing file");
  app.add_flag("--profile", options.recording.profiles, "Print the report of `profile` at the end");
  add_budget(app, options.recording.budget);
  add_page(app, options);
  add_keys_on_input(app, options.keys_on_input);
  app.add_flag("--kill-on-failure", options.kill_on_failure, "Kill the other processes when one fails");
}

}  // namespace

Command run_command(const CommandContext& /*context*/) {
  const CommandGuide guide{
      .group = CommandGroup::running,
      .place = 4,
      .examples = {{"eventspace run app.yaml", "the command of the pathmap, once for each of its processes"},
                   {"eventspace run app.yaml --server-up -- ./solver --steps 1000",
                    "another command, with the servers around it"},
                   {"eventspace run -- ./solver", "one process without a pathmap"},
                   {"eventspace run --record job.evs -- mpirun -n 4 ./solver",
                    "recorded from its start to its end"},
                   {"eventspace run --web -- mpirun -n 4 ./solver",
                    "on a page in a browser; its address is printed first"}},
      .statuses = {{exit_found_wrong, "a process failed or was killed, or the budget could not be kept"},
                   {exit_unreachable,
                    "a process could not be started (the others were ended), a process of the session runs "
                    "already, or shared memory cannot be used"}},
      .usages = {"eventspace run PATHMAP [OPTIONS] [-- CMD...]",
                 "eventspace run [--session NAME] [--no-collect] -- CMD..."}};
  const auto behind = std::make_shared<std::vector<std::string>>();
  return {"run", "Run an application and record its events, with or without a pathmap",
          [behind](CLI::App& app) {
            const auto options = std::make_shared<RunOptions>();
            add_options(app, *options);
            return [options, behind] {
              if (!behind->empty()) options->command = *behind;
              return run(*options);
            };
          },
          guide, behind};
}

}  // namespace eventspace
