#pragma once

namespace eventspace::test {

/// While it exists, the system reserves memory as if the process got a signal every millisecond and the
/// kernel gave back what an interrupted call had reserved, as some kernels do: every second call is
/// interrupted, and every call for more than 1 MiB. Calls fail with EDEADLK if that goes on for ever. Used in
/// one thread.
class ManySignals {
 public:
  ManySignals();
  ~ManySignals();
  ManySignals(const ManySignals&) = delete;
  ManySignals& operator=(const ManySignals&) = delete;
};

}  // namespace eventspace::test
