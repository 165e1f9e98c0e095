#include "tuplespace/system/library_thread.h"

#include <utility>

namespace eventspace {

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::thread start_library_thread(std::function<void()> work) {
  // A thread begins with the mask of the thread that starts it. If it set its own, a signal could come first.
  const SignalsBlocked blocked;
  return std::thread(std::move(work));
}

}  // namespace eventspace
