#pragma once

#include <string>
#include <vector>

namespace eventspace {

/// Runs `$EVENTSPACE_PROGRAM WORDS...`, or `eventspace WORDS...` of $PATH if that variable is not set, and
/// waits for its end: it leaves a server in the background. It does not get $LD_PRELOAD or open files of this
/// process: it has neither terminal nor output. Its exit status is ignored, because the application may
/// ignore SIGCHLD, which discards it. Throws EnvironmentError, whose text begins with `what`, if it cannot be
/// started.
void run_server_program(std::vector<std::string> words, const std::string& what);

}  // namespace eventspace
