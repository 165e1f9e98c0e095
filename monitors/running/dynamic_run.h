#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "monitors/running/message_library.h"
#include "monitors/running/run_recorder.h"

namespace eventspace {

/// A command to run in a session without a pathmap.
struct DynamicRun {
  std::string session;               ///< empty means the name of the program, or "NAME-PID" if that is in use
  std::vector<std::string> command;  ///< the first word is looked up by find_program
  bool collect{true};                ///< false if processes of the session do not record
  MessageLibrary library{MessageLibrary::detect};  ///< whose calls are recorded
  /// If not empty: a directory shared by the machines of an MPI job, in which they find each other
  /// (pathmaps/jobs/job_directory.h).
  std::filesystem::path shared{};
  RunRecording recording{};
  bool has_page{false};  ///< shows the run on a page (RunPage)
};

/// Runs the command, with $EVENTSPACE_SESSION set and $EVENTSPACE_PATHMAP and $EVENTSPACE_PROCESS unset. All
/// its children are also in the session.
///
/// Without a message library, the command replaces this process, and so keeps the process id. With a message
/// library, our library for it is prepended to $LD_PRELOAD, and this process waits for the command like
/// run_in_foreground(). At the end it reports on standard error why calls were not recorded, if any, and
/// returns the exit status of the command. If a RunReport is not possible, the command replaces this process.
///
/// With PVM, $PVM_EXPORT passes the same variables to the tasks that the command spawns.
///
/// With `shared`, the processes on other machines also get the variables, if the launcher is a word of the
/// command; the directory of the job exists until the command has ended. Throws ConfigurationError if the
/// command is not recognised as using MPI.
///
/// With a recording, this process waits for the command in any case, and a recorder runs beside it
/// (RunRecorder). If the recording is incomplete, the status of a successful command becomes 3. So it does
/// with a page (RunPage), and returns only after a signal that ends the page.
///
/// With a budget, this process waits for the command in any case. It keeps the budget itself, unless a
/// recorder does, for the processes on this machine; the status of a successful command becomes 1 if the
/// budget could not be kept.
///
/// Prints to standard error how to watch it, if that is a terminal. Throws ConfigurationError without a
/// command or for an invalid session name; EnvironmentError if the command cannot be executed or a running
/// process of that session has a pathmap. First removes the files of killed processes of the session, after
/// the time that segments are kept (1 h).
int run_dynamic(const DynamicRun& run);

/// Throws EnvironmentError if a running process of the session has a pathmap. Removes the files of killed
/// processes of the session, after the time that segments are kept.
void require_dynamic(const std::string& session);

/// Makes the keys on standard input the keys of the session on this machine, and executes `command`, a
/// process of a pathmap that `run` on another machine starts here. Its standard input is empty. Throws like
/// run_dynamic() and take_keys_from_input().
[[noreturn]] void exec_with_keys(const std::string& session, const std::vector<std::string>& command);

}  // namespace eventspace
