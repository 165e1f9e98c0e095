#pragma once

namespace eventspace::test {

/// While it exists, memory reservations behave as if the process got a signal every millisecond and the
/// kernel released the memory of an interrupted call, as some kernels do: every second call is interrupted,
/// and every call for more than 1 MiB. Calls fail with EDEADLK if that does not end. Used in one thread.
class ManySignals {
 public:
  ManySignals();
  ~ManySignals();
  ManySignals(const ManySignals&) = delete;
  ManySignals& operator=(const ManySignals&) = delete;
};

}  // namespace eventspace::test
