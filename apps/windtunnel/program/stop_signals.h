// SIGINT (Ctrl-C) and SIGTERM as a call in a thread, instead of a signal handler.
#pragma once

#include <functional>
#include <thread>

namespace eventspace::windtunnel {

// No thread of the process gets these signals any more; to be called before the first one is started.
void block_stop_signals();

// While it exists, the first of these signals calls 'stop' in a thread of its own.
class StopSignals {
 public:
  // Requires block_stop_signals(). Throws EnvironmentError if the system has no descriptor left.
  explicit StopSignals(std::function<void()> stop);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  int signals_;
  int farewell_;  // becomes readable when the thread is to end
  std::thread thread_;
};

}  // namespace eventspace::windtunnel
