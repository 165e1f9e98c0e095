#include "tests/monitors/top/terminal_program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "tests/monitors/workplace.h"

namespace eventspace::testing_commands {
namespace {

winsize size_of(std::size_t rows, std::size_t columns) {
  return {static_cast<unsigned short>(rows), static_cast<unsigned short>(columns), 0, 0};
}

// Allocates before the fork, because the child must not.
[[noreturn]] void become(const std::vector<char*>& words) {
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // dies with the test
  ::execv(words[0], words.data());
  ::_exit(127);
}

}  // namespace

TerminalProgram::TerminalProgram(const std::vector<std::string>& command, std::size_t rows,
                                 std::size_t columns, const std::map<std::string, std::string>& environment)
    : emulator_(rows, columns) {
  std::vector<std::string> all{"/usr/bin/env", "TERM=xterm", "LC_ALL=C.UTF-8"};
  for (const auto& [name, value] : environment) all.emplace_back(name).append("=").append(value);
  all.insert(all.end(), command.begin(), command.end());
  std::vector<char*> words;
  words.reserve(all.size() + 1);
  for (std::string& word : all) words.push_back(word.data());
  words.push_back(nullptr);
  const winsize size = size_of(rows, columns);
  pid_ = ::forkpty(&master_, nullptr, nullptr, &size);
  if (pid_ == 0) become(words);
  EXPECT_GT(pid_, 0);
  ::fcntl(master_, F_SETFL, O_NONBLOCK);
  ::fcntl(master_, F_SETFD, FD_CLOEXEC);
}

TerminalProgram::~TerminalProgram() {
  if (!has_ended()) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  hang_up();
}

void TerminalProgram::type(const std::string& keys) const {
  EXPECT_EQ(::write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

void TerminalProgram::resize(std::size_t rows, std::size_t columns) {
  look();
  emulator_.resize(rows, columns);
  const winsize size = size_of(rows, columns);
  EXPECT_EQ(::ioctl(master_, TIOCSWINSZ, &size), 0);  // the kernel sends SIGWINCH
}

void TerminalProgram::hang_up() {
  if (master_ >= 0) ::close(std::exchange(master_, -1));
}

void TerminalProgram::signal(int number) const { ::kill(pid_, number); }

void TerminalProgram::look() {
  std::array<char, 4096> buffer{};
  while (master_ >= 0) {
    const ssize_t got = ::read(master_, buffer.data(), buffer.size());
    if (got <= 0) return;  // no more output yet, or the end
    bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    emulator_.feed({buffer.data(), static_cast<std::size_t>(got)});
  }
}

bool TerminalProgram::sees(const std::function<bool(const TerminalEmulator&)>& condition) {
  return eventually([&] {
    look();
    return condition(emulator_);
  });
}

bool TerminalProgram::sees(const std::string& text) {
  return sees([&](const TerminalEmulator& seen) { return seen.text().find(text) != std::string::npos; });
}

termios TerminalProgram::modes() const {
  termios modes{};
  EXPECT_EQ(::tcgetattr(master_, &modes), 0);
  return modes;
}

bool TerminalProgram::has_ended() {
  int state = 0;
  if (!has_ended_ && ::waitpid(pid_, &state, WNOHANG) == pid_) {
    has_ended_ = true;
    status_ = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
  }
  return has_ended_;
}

int TerminalProgram::status() {
  EXPECT_TRUE(eventually([this] {
    look();
    return has_ended();
  })) << emulator_.text();
  look();
  return status_;
}

}  // namespace eventspace::testing_commands
