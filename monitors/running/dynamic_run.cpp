#include "monitors/running/dynamic_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "monitors/budget/budget_keeper.h"
#include "monitors/cli/command.h"
#include "monitors/cli/keys_on_input.h"
#include "monitors/running/foreground_command.h"
#include "monitors/running/forwarded_variables.h"
#include "monitors/running/run_page.h"
#include "monitors/running/unrecorded_calls.h"
#include "monitors/servers/find_program.h"
#include "monitors/servers/segment_list.h"
#include "pathmaps/jobs/job_of_session.h"
#include "pathmaps/jobs/own_machine.h"
#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/run_report.h"
#include "tuplespace/processes/spawn.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/plain_text.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {
namespace {

bool has_running_process(const std::string& session) {
  for (const SegmentEntry& entry : list_segments(session)) {
    if (entry.state == SegmentState::alive || entry.state == SegmentState::unknown) return true;
  }
  return false;
}

std::string session_of(const DynamicRun& run, const std::filesystem::path& program) {
  constexpr std::size_t longest = 50;  // leaves room for the process id
  if (!run.session.empty()) return run.session;
  std::string name = made_plain(program.filename().string(), longest);
  if (has_running_process(name)) name += fmt::format("-{}", ::getpid());
  return name;
}

void set(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0)
    throw EnvironmentError::from_errno("cannot set a variable", errno);
}

// The runtime of AddressSanitizer, if it is a shared library, ends a program if another library is loaded
// before it, because that might define functions that it replaces. Our libraries do not, so the check is
// disabled. The user's options come last, and so take precedence.
void let_address_sanitizer_be_loaded_later() {
  const char* const options = std::getenv("ASAN_OPTIONS");
  const bool has_none = options == nullptr || *options == '\0';
  set("ASAN_OPTIONS",
      fmt::format("verify_asan_link_order=0{}{}", has_none ? "" : ":", has_none ? "" : options));
}

// Before other libraries: their work between the program's call and MPI is then inside the call.
void preload(const std::filesystem::path& library) {
  const char* const others = std::getenv("LD_PRELOAD");
  const bool is_alone = others == nullptr || *others == '\0';
  set("LD_PRELOAD", is_alone ? library.string() : fmt::format("{}:{}", library.string(), others));
  let_address_sanitizer_be_loaded_later();
}

[[noreturn]] void replace_by(const std::filesystem::path& program, const std::vector<std::string>& command) {
  ::execv(program.c_str(), pointers_to(command).data());
  throw EnvironmentError::from_errno(fmt::format("cannot execute {}", program.string()), errno);
}

std::filesystem::path require_program(const std::vector<std::string>& command) {
  if (command.empty()) {
    throw ConfigurationError(
        "found neither a pathmap nor a command; use `eventspace run PATHMAP`, or `eventspace run -- CMD`");
  }
  if (const auto program = find_program(command.front())) return *program;
  throw EnvironmentError(fmt::format("'{}' not found in $PATH or beside this program", command.front()));
}

void set_environment(const DynamicRun& run, const std::string& session) {
  set("EVENTSPACE_SESSION", session);
  for (const char* const variable : {"EVENTSPACE_PATHMAP", "EVENTSPACE_PROCESS", RunReport::variable})
    ::unsetenv(variable);
  set("EVENTSPACE_PROGRAM", own_program().string());
  if (const auto library = find_probe_library();
      library && std::getenv("EVENTSPACE_PROBE_LIBRARY") == nullptr)
    set("EVENTSPACE_PROBE_LIBRARY", library->string());
  if (!run.collect) set("EVENTSPACE_COLLECT", "0");
}

// Printed at the beginning, because the program may run for days.
bool say_if_static(const DynamicRun& run) {
  const auto program = run.library == MessageLibrary::none ? std::nullopt : find_static_program(run.command);
  if (!program) return false;
  std::cerr << fmt::format(
      "eventspace: {0} is linked statically with {1}: its calls of {1} are not recorded; link it "
      "dynamically\n",
      escaped(program->file.string()), program->library);
  return true;
}

// Null on failure: the command must run anyway.
std::unique_ptr<RunReport> make_report() {
  try {
    auto report = std::make_unique<RunReport>();
    set(RunReport::variable, report->path().string());
    return report;
  } catch (const EnvironmentError& error) {
    std::cerr << fmt::format("eventspace: cannot check whether calls are recorded: {}\n", error.what());
    return nullptr;
  }
}

// Adds those of the variables that are set.
void add_set(std::vector<std::string>& names, std::initializer_list<const char*> variables) {
  for (const char* const name : variables)
    if (std::getenv(name) != nullptr) names.emplace_back(name);
}

// The variables that processes on other machines need and that Open MPI's launcher does not pass on by
// itself; MPICH's launcher does.
std::vector<std::string> variables_of_ranks() {
  std::vector<std::string> names{"LD_PRELOAD", "EVENTSPACE_SESSION", JobDirectory::variable,
                                 "EVENTSPACE_PROGRAM"};
  add_set(names, {"ASAN_OPTIONS", "EVENTSPACE_KEYS", "EVENTSPACE_MPI_CALLS", "EVENTSPACE_PROBE_LIBRARY",
                  "EVENTSPACE_VERBOSE"});
  return names;
}

// PVM's daemon gives spawned tasks its own environment, and the variables of the spawning task that this
// variable names. It includes itself, so that it also holds for the tasks that these spawn.
void export_to_tasks() {
  std::vector<std::string> names{"LD_PRELOAD", "EVENTSPACE_SESSION", "EVENTSPACE_PROGRAM"};
  add_set(names, {"ASAN_OPTIONS", JobDirectory::variable, "EVENTSPACE_COLLECT", SegmentKeeping::variable,
                  "EVENTSPACE_KEYS", "EVENTSPACE_PVM_CALLS", "EVENTSPACE_PROBE_LIBRARY", "EVENTSPACE_SHM_DIR",
                  "EVENTSPACE_VERBOSE", "XDG_RUNTIME_DIR", RunReport::variable});
  const char* const before = std::getenv("PVM_EXPORT");
  if (before != nullptr && *before != '\0') names.insert(names.begin(), before);
  set("PVM_EXPORT", fmt::format("{}", fmt::join(names, ":")));
}

bool is_for_pvm(const std::filesystem::path& library) { return library.filename() == "libeventspace-pvm.so"; }

/// The job of a run whose processes may be on several machines, and its command.
struct SharedRun {
  SharedRun(const DynamicRun& run, const std::string& session, const std::filesystem::path& library)
      : command(run.command) {
    if (!is_for_pvm(library)) forward_variables(library);
    job.emplace(run.shared, session);
    set(JobDirectory::variable, job->directory().path().string());
  }

  /// Whether a process has joined the session on another machine, which this machine's report lacks.
  [[nodiscard]] bool was_elsewhere(const std::string& session) const noexcept {
    try {
      const auto nodes = job->directory().read(session).nodes;
      return std::ranges::any_of(nodes, [](const JobNode& node) { return node.machine != own_machine(); });
    } catch (...) {  // the directory is gone: make no uncertain claim
      return true;
    }
  }

  std::vector<std::string> command;
  std::optional<JobOfRun> job;

 private:
  // MPICH's launcher passes on all variables; PVM tasks get them by export_to_tasks().
  void forward_variables(const std::filesystem::path& library) {
    const std::vector<std::string> names = variables_of_ranks();
    if (const auto launcher = find_open_mpi_launcher(command)) {
      command = forwarding(std::move(command), *launcher, names);
    } else if (library.filename().string().find("openmpi") != std::string::npos) {
      std::cerr << fmt::format(
          "eventspace: found no launcher of Open MPI in the command; add these options where it is called: "
          "-x {}\n",
          fmt::join(names, " -x "));
    }
  }
};

std::optional<SharedRun> share_run(const DynamicRun& run, const std::string& session,
                                   const std::optional<std::filesystem::path>& library) {
  if (run.shared.empty()) return std::nullopt;
  if (!library) {
    throw ConfigurationError(
        "--shared needs a program of MPI or PVM, and the command does not show which it uses: "
        "use --mpi openmpi, --mpi mpich or --pvm");
  }
  return std::optional<SharedRun>(std::in_place, run, session, *library);
}

void say_how_to_watch(const std::string& session) {
  if (::isatty(STDERR_FILENO) != 0)
    std::cerr << fmt::format("eventspace: session {0}; watch it with `eventspace heartbeat {0}`\n", session);
  std::cerr.flush();
}

}  // namespace

void require_dynamic(const std::string& session) {
  const std::vector<SegmentEntry> entries = list_segments(session);
  for (const SegmentEntry& entry : entries) {
    if (entry.state != SegmentState::alive || entry.identity.fingerprint == 0 ||
        entry.kind != SegmentKind::segment)
      continue;
    throw EnvironmentError(
        fmt::format("process {} (pid {}) of session '{}' runs with a pathmap; choose another --session, or "
                    "use the pathmap",
                    entry.identity.process, entry.pid, session));
  }
  (void)remove_orphans(entries, LimitsPlan().keep);
}

void exec_with_keys(const std::string& session, const std::vector<std::string>& command) {
  const std::filesystem::path program = require_program(command);
  const auto used = take_keys_from_input(session);
  (void)used;  // held until exec, which does not run destructors, so the file stays for the program
  const FileHandle nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  (void)::dup2(nothing.get(), STDIN_FILENO);
  replace_by(program, command);
}

namespace {

void require_recordable(const DynamicRun& run, const std::string& session) {
  if (!run.recording.is_wanted() || run.shared.empty()) return;
  throw ConfigurationError(
      fmt::format("--record and --profile are for runs on this machine; with --shared, record the session: "
                  "eventspace record {} -o FILE --wait",
                  session));
}

}  // namespace

int run_dynamic(const DynamicRun& run) {
  const std::filesystem::path program = require_program(run.command);
  const std::string session = session_of(run, program);
  check_session_name(session);
  require_recordable(run, session);
  require_dynamic(session);
  set_environment(run, session);
  const auto library = run.collect ? find_preloaded_library(run.library, run.command) : std::nullopt;
  std::optional<RunRecorder> recorder;  // before the library is preloaded, which the recorder must not get
  if (run.recording.is_wanted()) recorder.emplace(run.recording, std::vector{session}, session);
  std::optional<RunPage> page;
  if (run.has_page) page.emplace(std::vector{session}, session, recorder.has_value());
  if (library) preload(*library);
  const bool is_static = say_if_static(run);
  std::optional<SharedRun> shared = share_run(run, session, library);
  say_how_to_watch(session);
  auto report = library && !is_static ? make_report() : nullptr;
  if (library && is_for_pvm(*library)) export_to_tasks();
  const Budget own_budget = run.recording.own_budget();
  if (report == nullptr && !shared && !recorder && !page && !own_budget) replace_by(program, run.command);
  std::optional<BudgetKeeper> budget;
  if (own_budget)
    budget.emplace(own_budget, Watched{plan_of_session(session), session, {}}, BudgetKeeper::of_a_run);
  ExitState state = run_in_foreground(program, shared ? shared->command : run.command);
  if (budget && state.is_fine()) state.status = budget->status(exit_fine);
  budget.reset();
  if (page) page->note_end();
  const auto why = report ? why_unrecorded(report->counts(), library->filename().string()) : std::nullopt;
  if (why && !(shared && shared->was_elsewhere(session))) std::cerr << fmt::format("eventspace: {}\n", *why);
  const int recorder_status = recorder ? recorder->finish() : exit_fine;
  if (state.is_fine()) state.status = recorder_status;
  report.reset();  // these leave files, and this process may end without destructors
  shared.reset();
  if (page) page->stay();
  page.reset();
  return end_as(state);
}

}  // namespace eventspace
