#include "pathmaps/sessions/server_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/sessions/own_process.h"
#include "tuplespace/processes/spawn.h"

namespace eventspace {
namespace {

// The environment without the variables that concern only this process.
std::vector<std::string> environment_of_server() {
  std::vector<std::string> variables = own_environment();
  std::erase_if(variables, [](const std::string& text) {
    return text.starts_with("LD_PRELOAD=") || text.starts_with("EVENTSPACE_PATHMAP=");
  });
  return variables;
}

int spawn_server(std::vector<std::string> words, const std::string& what) {
  Spawn spawn;
  spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  spawn.open(STDERR_FILENO, "/dev/null", O_WRONLY);
  spawn.close_from(STDERR_FILENO + 1);  // a launcher waits until its processes' descriptors are closed
  spawn.restore_all();
  const std::string program = words.front();
  try {
    return spawn.start(program, std::move(words), environment_of_server());
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format(
        "{}: {}. Put `eventspace` into PATH, or set EVENTSPACE_PROGRAM to its file", what, error.what()));
  }
}

}  // namespace

void run_server_program(std::vector<std::string> words, const std::string& what) {
  const std::string given = environment("EVENTSPACE_PROGRAM");
  words.insert(words.begin(), given.empty() ? "eventspace" : given);
  const int child = spawn_server(std::move(words), what);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace eventspace
