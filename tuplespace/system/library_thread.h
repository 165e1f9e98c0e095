#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace eventspace {

/// Blocks all signals for the calling thread during its lifetime.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// Starts a thread of the library; all of them are started by this function. Such a thread blocks all
/// signals, so that the application's signal handlers run only on its own threads. Throws the exceptions of
/// std::thread.
std::thread start_library_thread(std::function<void()> work);

}  // namespace eventspace
