#pragma once

// Private to monitors/.

#include <filesystem>
#include <string>
#include <vector>

#include "monitors/running/message_library.h"
#include "monitors/running/run_recorder.h"

namespace eventspace {

/// A command that is run in a session without a pathmap.
struct UnplannedRun {
  std::string session;               ///< empty: the name of the program; if that is in use, "NAME-PID"
  std::vector<std::string> command;  ///< the first word is looked up by find_program
  bool collect{true};                ///< false: processes of the session do not record
  MessageLibrary library{MessageLibrary::detect};  ///< whose calls are recorded
  /// Not empty: a directory that the machines of an MPI job share, in which they find each other
  /// (pathmaps/jobs/job_directory.h).
  std::filesystem::path shared{};
  RunRecording recording{};
};

/// Runs the command, with $EVENTSPACE_SESSION set and $EVENTSPACE_PATHMAP and $EVENTSPACE_PROCESS unset. All
/// its children are in the session, too.
///
/// Without a message library this process is replaced by the command, which so keeps the process id. With
/// one, ours for it is put in front of $LD_PRELOAD, and this process waits for the command as
/// run_in_foreground() does, says on standard error why calls were not recorded, if they were not, and ends
/// as the command has: the exit status is returned. If this process cannot learn that (RunReport), it is
/// replaced.
///
/// With PVM, $PVM_EXPORT has the tasks that the command spawns get the same variables.
///
/// With `shared`, the processes on other machines get the variables too, if the launcher is a word of the
/// command, and the directory of the job is there until the command has ended. Throws ConfigurationError if
/// it is not seen that the command is one with MPI.
///
/// With a recording, this process waits for the command in any case, and a recorder runs beside it
/// (RunRecorder). If the recording is not whole, a command that ended well ends with status 3.
///
/// Says on standard error how to watch it, if that is a terminal. Throws ConfigurationError if there is no
/// command or the name cannot be that of a session; EnvironmentError if the command cannot be executed or a
/// running process of that session has a pathmap. Before, removes what processes of the session that were
/// killed have left, after the time that segments are kept (1 h).
int run_unplanned(const UnplannedRun& run);

/// Throws EnvironmentError if a running process of the session has a pathmap. Removes what processes of the
/// session that were killed have left, after the time that segments are kept.
void require_unplanned(const std::string& session);

/// Makes the keys on standard input those of the session on this machine, and becomes `command`, a process of
/// a pathmap that `run` on another machine starts here. Its standard input is empty. Throws as
/// run_unplanned() and take_keys_from_input() do.
[[noreturn]] void exec_with_keys(const std::string& session, const std::vector<std::string>& command);

}  // namespace eventspace
