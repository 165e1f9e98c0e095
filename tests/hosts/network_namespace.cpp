#include "tests/hosts/network_namespace.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tests/tuplespace/tied_process.h"

namespace eventspace::testing_hosts {
namespace {

namespace fs = std::filesystem;

constexpr const char* own_namespace = "/proc/thread-self/ns/net";

// The message of the holder once it holds the namespace, or has failed.
struct Hello {
  pid_t pid{0};
  int error{0};
};

// Blocks until the other end of the tie is closed.
void wait_for_end_of(int tie) {
  char nothing = 0;
  while (::read(tie, &nothing, 1) > 0 || errno == EINTR) errno = 0;
}

ino_t namespace_of(const fs::path& link) {
  struct stat status {};
  return ::stat(link.c_str(), &status) == 0 ? status.st_ino : 0;
}

// Returns true if it found a process to kill.
bool kill_all_in(ino_t place, pid_t spared) {
  bool found = false;
  std::error_code ended_meanwhile;
  for (const auto& entry : fs::directory_iterator("/proc", ended_meanwhile)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid == 0 || pid == ::getpid() || pid == spared) continue;
    if (namespace_of(entry.path() / "ns/net") != place) continue;
    found = true;
    ::kill(pid, SIGKILL);
  }
  return found;
}

// Runs in the holder, until the other end of the tie, its standard input, is closed in all processes.
void hold(pid_t maker) {
  const ino_t outside = namespace_of(own_namespace);
  Hello hello{::getpid(), ::unshare(CLONE_NEWNET) == 0 ? 0 : errno};
  if (::write(STDIN_FILENO, &hello, sizeof hello) != sizeof hello || hello.error != 0) return;
  wait_for_end_of(STDIN_FILENO);
  const ino_t inside = namespace_of(own_namespace);
  while (inside != outside && kill_all_in(inside, maker)) ::poll(nullptr, 0, 5);
}

}  // namespace

NetworkNamespace::NetworkNamespace() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  test::start_apart(ends[1], [maker = ::getpid()] { hold(maker); });
  ::close(ends[1]);
  tie_ = ends[0];
  Hello hello;
  if (::read(tie_, &hello, sizeof hello) != sizeof hello) hello.error = ECHILD;
  holder_ = hello.pid;
  if (hello.error == 0) return;
  ::close(tie_);
  throw NotPermitted(std::string("cannot make a network namespace: ") + std::strerror(hello.error));
}

NetworkNamespace::NetworkNamespace(NetworkNamespace&& other) noexcept
    : tie_(std::exchange(other.tie_, -1)), holder_(other.holder_) {}

NetworkNamespace::~NetworkNamespace() {
  if (tie_ < 0) return;
  ::shutdown(tie_, SHUT_WR);
  wait_for_end_of(tie_);  // the holder has ended then
  ::close(tie_);
}

std::vector<std::string> NetworkNamespace::launch() const {
  return {"nsenter", "-t", std::to_string(holder_), "-n"};
}

Visit::Visit(const NetworkNamespace& inside) : home_(::open(own_namespace, O_RDONLY | O_CLOEXEC)) {
  const std::string name = "/proc/" + std::to_string(inside.holder()) + "/ns/net";
  const int there = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  const bool entered = home_ >= 0 && ::setns(there, CLONE_NEWNET) == 0;
  const int error = errno;
  ::close(there);
  if (!entered) throw std::system_error(error, std::generic_category(), "cannot enter " + name);
}

Visit::~Visit() {
  ::setns(home_, CLONE_NEWNET);
  ::close(home_);
}

}  // namespace eventspace::testing_hosts
