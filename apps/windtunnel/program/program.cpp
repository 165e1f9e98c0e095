#include "apps/windtunnel/program/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include "apps/windtunnel/program/coordinator.h"
#include "apps/windtunnel/program/crew.h"
#include "apps/windtunnel/program/progress_bar.h"
#include "apps/windtunnel/program/stop_signals.h"
#include "apps/windtunnel/program/team.h"
#include "apps/windtunnel/program/worker.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::windtunnel {
namespace {

Session join(const Options& options) {
  Session::Options how;
  if (!options.collect) how.collect = false;
  how.when_lost = WhenLost::end;  // a restarted process could not continue: its rows are lost
  return Session::join(options.pathmap, options.process, how);
}

void check_stall(const StallOrder& stall, const Settings& settings, std::size_t workers) {
  const auto number = worker_number(stall.thread);
  if (!number || *number >= workers)
    throw ConfigurationError(fmt::format("--stall: unknown worker '{}'; the pathmap has t0 to {}",
                                         stall.thread, worker_name(workers - 1)));
  if (stall.step >= settings.steps)
    throw ConfigurationError(
        fmt::format("--stall: unknown step {}; the run has steps 0 to {}", stall.step, settings.steps - 1));
}

class Program {
 public:
  explicit Program(const Options& options)
      : options_(options),
        session_(join(options)),
        threads_(session_.threads()),
        workers_(count_workers(session_.plan())),
        team_(session_, count_local_workers(), [this](const Failure& failure) { announce(failure); }) {
    if (options.stall) check_stall(*options.stall, options.settings, workers_);
    slice_rows(options.settings.tunnel.rows(), workers_, 0);  // throws if there are more workers than rows
    if (has_main()) coordinator_.emplace(session_, options.settings, options.frames);
  }

  ExitStatus run() {
    const StopSignals signals([this] { team_.interrupt(); });
    run_threads();
    if (!team_.is_ending()) return coordinator_ ? report() : kFine;
    say_goodbye();
    return say_why_it_ended();
  }

 private:
  std::size_t count_local_workers() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(threads_, [](const auto& name) { return worker_number(name).has_value(); }));
  }

  bool has_main() const { return std::ranges::find(threads_, kMainThread) != threads_.end(); }

  void run_threads() {
    std::optional<ProgressBar> bar;
    if (coordinator_ && count_local_workers() > 0) bar.emplace(team_, options_.settings.steps);
    // Declared after the bar, so that the threads are joined before the bar ends.
    std::vector<std::jthread> running;
    if (coordinator_) running.emplace_back([this] { team_.guard([this] { coordinator_->run(); }); });
    // Guarded: if a thread cannot be started, those that run already wait for it and have to be ended.
    team_.guard([this, &running] {
      for (const auto& job : jobs()) running.emplace_back([this, job] { work(session_, team_, job); });
    });
  }

  std::vector<WorkerJob> jobs() const {
    std::vector<WorkerJob> jobs;
    for (const auto& name : threads_) {
      const auto number = worker_number(name);
      if (!number) continue;
      WorkerJob job{options_.settings, *number, workers_, jobs.size(), {}};
      if (options_.stall && options_.stall->thread == name) job.stall = options_.stall;
      jobs.push_back(job);
    }
    return jobs;
  }

  // Keeps the process alive briefly after its elements are closed. A process that writes to one of them now
  // gets the reason; later it would only see a lost connection, and a process that has never been connected
  // would wait for this one to start.
  void say_goodbye() const {
    constexpr std::chrono::seconds kLastWords(1);
    if (session_.plan().processes.size() > 1) std::this_thread::sleep_for(kLastWords);
  }

  // Prints a failure at once, before it makes other processes fail too. A failure with status kUnreachable
  // may itself be such a consequence, or a consequence of an interrupt: it is printed when this process ends.
  void announce(const Failure& failure) const noexcept {
    if (failure.status != kUnreachable) say_why_it_ended(failure.what);
  }

  ExitStatus say_why_it_ended() const {
    const auto failure = reason_to_fail();
    if (!failure) say_why_it_ended("interrupted");
    if (failure && failure->status == kUnreachable) say_why_it_ended(failure->what);
    return failure ? failure->status : kFine;
  }

  void say_why_it_ended(std::string_view why) const noexcept {
    // On a terminal the message replaces the line of the progress bar.
    const char* const over_the_bar = ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
    const auto line =
        fmt::format("{}windtunnel: process {}: {}; at step {} of {}\n", over_the_bar, session_.process(),
                    escaped(why), team_.steps_done(), options_.settings.steps);
    std::fputs(line.c_str(), stderr);
  }

  // When all processes are interrupted, one may notice the end of another before its own signal arrives.
  std::optional<Failure> reason_to_fail() const {
    auto failure = team_.failure();
    if (failure && failure->status == kUnreachable && team_.was_interrupted()) return std::nullopt;
    return failure;
  }

  ExitStatus report() const {
    auto summary = coordinator_->summary();
    summary.recorded += session_.events_recorded();
    summary.discarded += session_.events_discarded();
    fmt::print("{}", to_text(summary));
    if (!options_.summary.empty()) write_json(summary, options_.summary);
    return summary.is_mass_balanced() ? kFine : kWrong;
  }

  const Options& options_;
  Session session_;
  const std::vector<std::string> threads_;  // of this process
  const std::size_t workers_;               // of all processes
  Team team_;
  std::optional<Coordinator> coordinator_;
};

}  // namespace

ExitStatus run(const Options& options) { return Program(options).run(); }

}  // namespace eventspace::windtunnel
