// A program that cannot have probes. `seccomp`: it has forbidden itself the system calls that probes need,
// and would be killed by one. `vfork`: it waits in the kernel for a child that neither ends nor becomes
// another program, and writes the child's id. `full`: no memory is free within 2 GiB of its code. In each
// state it then calls odd_work() until SIGTERM, and exits with 0 if all results were right.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

extern "C" [[gnu::noinline]] int odd_work(int value) {
  static volatile int sum = 0;
  sum = sum + value;
  return sum * 2;
}

namespace {

std::atomic<bool> is_over{false};

void say(const char* text) { (void)!::write(STDOUT_FILENO, text, std::strlen(text)); }

bool forbid_calls() {
  ::sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct ::seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const ::sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The child shares the memory of its parent, which continues when it has ended.
bool wait_for_child() {
  const ::pid_t child = ::vfork();
  if (child == 0) {
    char text[16];
    std::snprintf(text, sizeof text, "%d\n", static_cast<int>(::getpid()));
    say(text);
    for (;;) ::pause();
  }
  return child > 0;
}

bool take_all_memory_around() {
  constexpr std::uint64_t reach = std::uint64_t{1} << 31;
  const std::uint64_t here = reinterpret_cast<std::uint64_t>(&odd_work) & ~std::uint64_t{0xffff};
  for (std::uint64_t bytes = std::uint64_t{1} << 28; bytes >= 1U << 16; bytes /= 4) {
    for (std::uint64_t at = here - reach; at < here + reach; at += bytes)
      (void)::mmap(reinterpret_cast<void*>(at), bytes, PROT_NONE,  // NOLINT
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  struct ::sigaction action {};
  action.sa_handler = [](int) { is_over = true; };
  ::sigaction(SIGTERM, &action, nullptr);
  const bool is_set_up = std::strcmp(words[1], "seccomp") == 0 ? forbid_calls()
                         : std::strcmp(words[1], "vfork") == 0 ? wait_for_child()
                         : std::strcmp(words[1], "full") == 0  ? take_all_memory_around()
                                                               : false;
  if (!is_set_up) return 2;
  say("ready\n");
  int expected = 0;
  while (!is_over) {
    if (odd_work(1) != (expected += 2)) return 1;
    ::usleep(1000);
  }
  return 0;
}
