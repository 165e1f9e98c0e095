#include "monitors/top/terminal/job_control.h"

#include <signal.h>

namespace eventspace::top {

void stop_this_process() {
  sigset_t stop;
  sigset_t before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);  // pending until it is unblocked
  ::pthread_sigmask(SIG_UNBLOCK, &stop, &before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace eventspace::top
