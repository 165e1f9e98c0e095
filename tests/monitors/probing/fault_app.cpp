// A program to which something happens while it has probes. `library FILE`: it calls fault_part() of a shared
// library until SIGUSR2 comes, and closes the library then. `exec FILE`: it calls fault_work(), and becomes
// that program then. Both write a line when it has happened, and end with SIGTERM. `fork WORD`: it calls
// fault_work(), and has a child that does the same from then on, whose id it writes; both go on until
// SIGTERM.

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<bool> has_come{false};
std::atomic<bool> is_over{false};

void act_on(int number, void (*handler)(int)) {
  struct ::sigaction action {};
  action.sa_handler = handler;
  ::sigaction(number, &action, nullptr);
}

/// Calls the function in this process and a child until the end. Returns the exit status.
int go_on_in_two(int (*work)(int)) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  } else {
    std::printf("%d\n", static_cast<int>(child));
    std::fflush(stdout);
  }
  while (!is_over) {
    work(1);
    ::usleep(100);
  }
  if (child == 0) ::_exit(0);
  int status = 0;
  ::kill(child, SIGTERM);
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

namespace fault {
volatile double residual = 0.25;
volatile int steps = 0;
volatile bool is_read = true;
}  // namespace fault

extern "C" [[gnu::noinline]] int fault_work(int value) {
  static std::atomic<int> sum{0};
  fault::steps = value;
  fault::residual = value * 0.5;
  return sum.fetch_add(value * 3) + value;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  act_on(SIGUSR2, [](int) { has_come = true; });
  act_on(SIGTERM, [](int) { is_over = true; });
  const bool has_library = std::strcmp(words[1], "library") == 0;
  void* const library = has_library ? ::dlopen(words[2], RTLD_NOW) : nullptr;
  auto* const part =
      library != nullptr ? reinterpret_cast<int (*)(int)>(::dlsym(library, "fault_part")) : fault_work;
  if (part == nullptr || (has_library && library == nullptr)) return 2;
  for (int i = 0; !has_come; ++i) {
    if (part(i) == 12345) std::puts("a sum");
    ::usleep(100);
  }
  if (std::strcmp(words[1], "fork") == 0) return go_on_in_two(part);
  if (!has_library) ::execl(words[2], words[2], "1", static_cast<char*>(nullptr));
  ::dlclose(library);
  std::puts("closed");
  std::fflush(stdout);
  while (!is_over) ::usleep(1000);
  return 0;
}
