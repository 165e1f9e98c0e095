// Turns SIGINT (Ctrl-C) and SIGTERM into a function call in a thread, instead of a signal handler.
#pragma once

#include <functional>
#include <thread>

namespace eventspace::windtunnel {

// Blocks these signals in all threads of the process; call before the first thread is started.
void block_stop_signals();

// During its lifetime, the first of these signals calls 'stop' in a separate thread.
class StopSignals {
 public:
  // Requires block_stop_signals(). Throws EnvironmentError if no descriptor is left.
  explicit StopSignals(std::function<void()> stop);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  int signals_;
  int farewell_;  // becomes readable when the thread has to end
  std::thread thread_;
};

}  // namespace eventspace::windtunnel
