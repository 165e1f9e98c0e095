// A launcher of parallel jobs as seen by debuggers (MPIR): its table has the processes whose pids are its
// arguments, by rank, on the machine that the first argument names. Sleeps until it is killed.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

extern "C" {

struct MPIR_PROCDESC {  // NOLINT(readability-identifier-naming): as the interface names it
  char* host_name;
  char* executable_name;
  int pid;
};
MPIR_PROCDESC* MPIR_proctable = nullptr;  // NOLINT(readability-identifier-naming)
int MPIR_proctable_size = 0;              // NOLINT(readability-identifier-naming)
}

int main(int count, char** words) {
  if (count < 3) return 2;
  MPIR_PROCDESC table[16]{};
  for (int i = 2; i < count && i < 18; ++i) table[i - 2] = {words[1], words[0], std::atoi(words[i])};
  MPIR_proctable = table;
  MPIR_proctable_size = count - 2;
  std::puts("launched");
  std::fflush(stdout);
  for (;;) ::pause();
}
