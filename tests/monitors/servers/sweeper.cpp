#include "tests/monitors/servers/sweeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>

#include "tests/tuplespace/tied_process.h"

namespace eventspace::testing_commands {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::seconds until_all_are_dead{60};

int pid_of(const fs::path& directory) {
  const std::string name = directory.filename().string();
  int pid = 0;
  std::from_chars(name.data(), name.data() + name.size(), pid);
  return pid;
}

// The contents with a leading zero, so that every entry lies between two zeros.
std::string entries_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(1, '\0').append(std::istreambuf_iterator<char>(in), {});
}

// Whether the test reported an orderly end before it closed the other end of the pipe.
bool hears_of_a_good_end() {
  char word = 0;
  ssize_t got = 0;
  do {
    got = ::read(STDIN_FILENO, &word, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

}  // namespace

std::vector<int> processes_in(const fs::path& directory, const std::string& argument) {
  std::vector<int> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const int pid = pid_of(entry.path());
    if (pid == 0 || pid == ::getpid()) continue;
    const std::string variable = '\0' + std::string("XDG_RUNTIME_DIR=") + directory.string();
    if (entries_of(entry.path() / "environ").find(variable) == std::string::npos) continue;
    const std::string word = '\0' + argument + '\0';
    if (argument.empty() || entries_of(entry.path() / "cmdline").find(word) != std::string::npos)
      found.push_back(pid);
  }
  return found;
}

bool kill_all_in(const fs::path& directory) {
  for (const auto limit = steady_clock::now() + until_all_are_dead; steady_clock::now() < limit;) {
    const std::vector<int> left = processes_in(directory);
    if (left.empty()) return true;
    for (const int pid : left) ::kill(pid, SIGKILL);
    ::poll(nullptr, 0, 5);
  }
  return false;
}

Sweeper::Sweeper(const fs::path& directory) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  test::start_apart(ends[0], [&directory] {
    if (hears_of_a_good_end()) return;
    std::error_code ignored;
    if (kill_all_in(directory)) fs::remove_all(directory, ignored);
  });
  ::close(ends[0]);
  tie_ = ends[1];
}

Sweeper::~Sweeper() {
  const char word = 'e';
  [[maybe_unused]] const ssize_t written = ::write(tie_, &word, 1);  // fails only if the sweeper is gone
  ::close(tie_);
}

}  // namespace eventspace::testing_commands
