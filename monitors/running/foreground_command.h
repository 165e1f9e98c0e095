#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "monitors/servers/child_process.h"

namespace eventspace {

/// Runs a command in place of this process, and waits for its end, after which this process can still print.
/// To the user and the shell it seems as if this process had become the command:
///
///  - It has this process's environment, files, signal mask and ignored signals, and is in its process group:
///    it reads from the terminal, and Ctrl-C, Ctrl-Z and changes of the window's size reach it directly.
///  - A signal that another process sends to this one is passed on. A signal that was sent to the whole group
///    arrives twice.
///  - When job control stops the command, this process also stops, and when this process continues, so does
///    the command.
///  - If this process is killed with SIGKILL, so is the command.
///
/// Blocks until the command has ended, and returns how. Throws EnvironmentError if it cannot be executed.
/// Only for a process with one thread, which ends soon afterwards: its signals stay blocked.
ExitState run_in_foreground(const std::filesystem::path& program, const std::vector<std::string>& command);

/// Ends this process as a command has ended: returns the exit status, or kills this process with the same
/// signal. No memory is dumped.
int end_as(ExitState state);

}  // namespace eventspace
