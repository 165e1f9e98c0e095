#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "collectors/mpi/mpi_record.h"
#include "monitors/wait_states/partners.h"
#include "monitors/wait_states/run_activities.h"

namespace eventspace {

/// A request of MPI that sends or receives a message.
struct PendingRequest {
  std::uint32_t number{0};
  MpiCallRecord record{};    ///< of the call that began it
  ActivityRef by{};          ///< that call
  std::uint64_t message{0};  ///< of a send; 0 for a receive
};

/// The requests that have begun and are not complete. Each process keeps at most `most` of messages, and as
/// many collective operations; beyond that, the one with the lowest number, usually the oldest, is forgotten,
/// which is counted. Not thread-safe.
class PendingRequests {
 public:
  static constexpr std::size_t most = 32768;  ///< as many as the library follows

  void begin(std::uint32_t process, const PendingRequest& request);
  /// Null if it is not known.
  [[nodiscard]] const PendingRequest* find(std::uint32_t process, std::uint32_t number) const;
  /// Removes and returns the request, if it is known.
  std::optional<PendingRequest> complete(std::uint32_t process, std::uint32_t number);
  /// Removes and returns the first send with the partner, tag and communicator of `awaited`, the description
  /// of a request in the records of a call (MpiRequests::awaited).
  std::optional<PendingRequest> complete_send(std::uint32_t process, const MpiCallRecord& awaited);

  void begin(std::uint32_t process, const Partners::Member& member);
  /// Removes and returns the part that a process has in this operation, if it is known.
  std::optional<Partners::Member> complete(std::uint32_t process, const Partners::Operation& operation);
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct Process {
    std::map<std::uint32_t, PendingRequest> messages{};  // by number
    std::map<Partners::Operation, Partners::Member> operations{};
  };
  std::map<std::uint32_t, Process> processes_;
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
