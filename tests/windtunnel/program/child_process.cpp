#include "tests/windtunnel/program/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "tests/tuplespace/tied_process.h"

namespace eventspace::windtunnel {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> whole_environment(const std::vector<std::string>& additions) {
  std::vector<std::string> all = additions;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::filesystem::path with_suffix(std::filesystem::path stem, const char* suffix) { return stem += suffix; }

// Returns whether `descriptor` now refers to that file.
bool write_to(const char* file, int descriptor) {
  const int opened = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  return opened >= 0 && ::dup2(opened, descriptor) == descriptor;
}

pid_t spawn(std::vector<std::string> argv, std::vector<std::string> environment,
            const std::filesystem::path& stem) {
  const auto out = with_suffix(stem, ".out");
  const auto err = with_suffix(stem, ".err");
  const std::vector<char*> words = pointers(argv), variables = pointers(environment);
  const pid_t pid = test::fork_tied();
  if (pid > 0) return pid;
  if (write_to(out.c_str(), STDOUT_FILENO) && write_to(err.c_str(), STDERR_FILENO))
    ::execve(words[0], words.data(), variables.data());
  ::_exit(127);
}

int to_exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                           std::filesystem::path output_stem)
    : stem_(std::move(output_stem)),
      pid_(spawn(argv, whole_environment(environment), stem_)),
      descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))) {}

ChildProcess::~ChildProcess() {
  if (!status_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(descriptor_);
}

void ChildProcess::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

std::optional<int> ChildProcess::wait(std::chrono::seconds limit) {
  if (status_) return status_;
  pollfd item{descriptor_, POLLIN, 0};
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  if (::poll(&item, 1, static_cast<int>(milliseconds)) <= 0) return std::nullopt;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  status_ = to_exit_status(status);
  return status_;
}

std::string ChildProcess::output() const { return content(with_suffix(stem_, ".out")); }
std::string ChildProcess::errors() const { return content(with_suffix(stem_, ".err")); }

bool ChildProcess::waits_until_it_says(const std::string& text, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (errors().find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > end || status_) return false;
    pollfd item{descriptor_, POLLIN, 0};
    if (::poll(&item, 1, 20) > 0) wait();
  }
  return true;
}

}  // namespace eventspace::windtunnel
