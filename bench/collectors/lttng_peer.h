#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <eventspace/stage.h>

namespace eventspace::bench {

/// LTTng-UST as a recorder of operations: one tracepoint before and one after each, with the fields of an
/// event collector, into a flight recorder (a snapshot session: full buffers overwrite their oldest records
/// and nothing is written to disk), which corresponds to a trace element. Starts a session daemon if none
/// runs; the destructor ends it and the session.
class LttngPeer {
 public:
  LttngPeer();
  ~LttngPeer();
  LttngPeer(const LttngPeer&) = delete;
  LttngPeer& operator=(const LttngPeer&) = delete;

  /// Why it cannot run here; empty if it can.
  [[nodiscard]] const std::string& unavailable() const noexcept { return unavailable_; }
  void record(Stage& stage, Operation& operation, std::size_t times);

 private:
  class Session;
  std::unique_ptr<Session> session_;
  std::string unavailable_;
};

}  // namespace eventspace::bench
