#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "paths/stage.h"

namespace eventspace::bench {

/// LTTng-UST as a recorder of operations: a tracepoint before and one after, with what an event collector
/// records, into a flight recorder (a snapshot session: full buffers overwrite their oldest, nothing is
/// written to disk), which is what a trace element is. Runs a session daemon of its own when there is none;
/// ends it, and the session, on destruction.
class LttngPeer {
 public:
  LttngPeer();
  ~LttngPeer();
  LttngPeer(const LttngPeer&) = delete;
  LttngPeer& operator=(const LttngPeer&) = delete;

  /// Why it cannot run here; empty when it can.
  [[nodiscard]] const std::string& unavailable() const noexcept { return unavailable_; }
  void record(Stage& stage, Operation& operation, std::size_t times);

 private:
  class Session;
  std::unique_ptr<Session> session_;
  std::string unavailable_;
};

}  // namespace eventspace::bench
