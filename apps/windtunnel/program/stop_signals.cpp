#include "apps/windtunnel/program/stop_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <eventspace/error.h>

namespace eventspace::windtunnel {
namespace {

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

int open_signals() {
  const auto signals = stop_signals();
  const int descriptor = ::signalfd(-1, &signals, SFD_CLOEXEC);
  if (descriptor < 0) throw EnvironmentError::from_errno("cannot wait for signals", errno);
  return descriptor;
}

int open_farewell() {
  const int descriptor = ::eventfd(0, EFD_CLOEXEC);
  if (descriptor < 0) throw EnvironmentError::from_errno("cannot make an event descriptor", errno);
  return descriptor;
}

bool wait_for_signal(int signals, int farewell) {
  std::array<pollfd, 2> items = {{{signals, POLLIN, 0}, {farewell, POLLIN, 0}}};
  while (::poll(items.data(), items.size(), -1) < 0 && errno == EINTR) {
  }
  return items[1].revents == 0;
}

}  // namespace

void block_stop_signals() {
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

StopSignals::StopSignals(std::function<void()> stop)
    : signals_(open_signals()), farewell_(open_farewell()), thread_([this, stop = std::move(stop)] {
        if (wait_for_signal(signals_, farewell_)) stop();
      }) {}

StopSignals::~StopSignals() {
  eventfd_write(farewell_, 1);
  thread_.join();
  ::close(signals_);
  ::close(farewell_);
}

}  // namespace eventspace::windtunnel
