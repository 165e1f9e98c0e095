// A program that changes while it has probes. All modes end with SIGTERM.
//
// `library FILE` calls fault_part() of a shared library until SIGUSR2 comes, and then closes the library.
// `exec FILE` calls fault_work() until SIGUSR2 comes, and then becomes that program. Both write a line when
// that has happened. `fork WORD` calls fault_work(), and on SIGUSR2 forks a child that does the same from
// then on, and writes its id; with a further SIGUSR2 the child forks one, too. `handler WORD` calls
// fault_work(), and so does its handler of SIGUSR1, which, if the word is "wait", writes "in", and continues
// only after SIGUSR2. `jump WORD` calls fault_jump(), which every second call leaves by longjmp(). The last
// two exit with 0 if all calls had the right results.

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>

// GCC would clone the function for some arguments. Clang does not, and does not support the attribute.
#ifdef __clang__
#define ONE_FUNCTION [[gnu::noinline]]
#else
#define ONE_FUNCTION [[gnu::noinline, gnu::noclone]]
#endif

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
  has_come = false;
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
    if (child == 0 && has_come) ::_exit(go_on_in_two(work));
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

extern "C" ONE_FUNCTION int fault_work(int value) {
  static std::atomic<int> sum{0};
  fault::steps = value;
  fault::residual = value * 0.5;
  return sum.fetch_add(value * 3) + value;
}

namespace {

std::jmp_buf behind;

}  // namespace

extern "C" ONE_FUNCTION int fault_jump(int value) {
  static volatile int sum = 0;
  sum = sum + value;
  if (value % 2 == 1) std::longjmp(behind, value);
  return sum * 0 + value * 3;
}

namespace {

bool is_waiting_in_handler = false;
std::atomic<int> handled{0};

void handle(int /*number*/) {
  fault_work(2);
  ++handled;
  if (!is_waiting_in_handler) return;
  (void)!::write(STDOUT_FILENO, "in\n", 3);
  while (!has_come) ::usleep(1000);
}

int go_on_with_handler(bool is_waiting) {
  is_waiting_in_handler = is_waiting;
  act_on(SIGUSR1, handle);
  int calls = 0;
  for (; !is_over; ++calls) {
    fault_work(1);
    ::usleep(50);
  }
  return fault_work(0) == 3 * calls + 6 * handled ? 0 : 1;
}

int go_on_with_jumps() {
  static int wrong = 0;  // static, since longjmp() may lose variables of this call
  for (static int i = 0; !is_over; i = i % 1000 + 1) {
    const int from = setjmp(behind);  // NOLINT
    const int expected = from == 0 ? fault_jump(i) : from * 3;
    if (expected != 3 * i) wrong = 1;
    ::usleep(50);
  }
  return wrong;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  act_on(SIGUSR2, [](int) { has_come = true; });
  act_on(SIGTERM, [](int) { is_over = true; });
  if (std::strcmp(words[1], "handler") == 0) return go_on_with_handler(std::strcmp(words[2], "wait") == 0);
  if (std::strcmp(words[1], "jump") == 0) return go_on_with_jumps();
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
