#pragma once

// Private to monitors/.

#include <string>
#include <vector>

#include "monitors/servers/mpi_library.h"

namespace eventspace {

/// A command that is run in a session without a pathmap.
struct UnplannedRun {
  std::string session;               ///< empty: the name of the program; if that is in use, "NAME-PID"
  std::vector<std::string> command;  ///< the first word is looked up by find_program
  bool collect{true};                ///< false: processes of the session do not record
  MpiChoice mpi{MpiChoice::detect};  ///< whose calls of MPI are recorded
};

/// Replaces this process by the command, with $EVENTSPACE_SESSION set and $EVENTSPACE_PATHMAP and
/// $EVENTSPACE_PROCESS unset, and with the library for its MPI in front of $LD_PRELOAD, if it uses one. The
/// command keeps the process id, standard input and output, the terminal and
/// its signals, so it behaves as if it were started by itself. All its children are in the session, too.
///
/// Says on standard error how to watch it, if that is a terminal. Returns only by an exception:
/// ConfigurationError if there is no command or the name cannot be that of a session; EnvironmentError if the
/// command cannot be executed or a running process of that session has a pathmap. Before, removes what
/// processes of the session that were killed have left, after the time that segments are kept (1 h).
[[noreturn]] void exec(const UnplannedRun& run);

/// Makes the keys on standard input those of the session on this machine, and becomes `command`, a process of
/// a pathmap that `run` on another machine starts here. Its standard input is empty. Throws as exec() and
/// take_keys_from_input() do.
[[noreturn]] void exec_with_keys(const std::string& session, const std::vector<std::string>& command);

}  // namespace eventspace
