#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>

#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/job_look.h"
#include "monitors/mpi/window_history.h"

namespace eventspace {

/// The past of the ranks of a job: how many operations each rank has begun on each communicator, and which
/// messages were sent and not received. Made from the calls that trace elements still hold and the calls that
/// monitors read later. Pure. Not thread-safe.
class CallHistory {
 public:
  static constexpr std::uint32_t operations_kept = 64;  ///< of each communicator, the newest
  static constexpr std::size_t max_entries = 1 << 20;   ///< of each map; entries beyond it are left out

  /// `reader` must outlive it.
  explicit CallHistory(const CallReader& reader) noexcept : reader_(&reader) {}

  /// Adds an ended call of `rank`; each call once. `began_ns` and `ended_ns`: since 1970.
  void add(std::uint32_t rank, std::span<const TraceTuple> event, std::int64_t began_ns,
           std::int64_t ended_ns);
  /// Updates the progress of `rank` from a call in a look, ended or in flight.
  void see(std::uint32_t rank, const JobCall& call);
  /// Calls were missed, so sent and received messages can no longer be compared.
  void miss() noexcept { is_complete_ = false; }

  /// Fills in the past of `look`, and the operation numbers of its calls that only the history has.
  void complete(JobLook& look) const;

 private:
  struct Messages {
    std::uint64_t sent{0};
    std::uint64_t received{0};
    std::uint64_t bytes{0};  // of the last one that was sent
  };
  using MessageKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  void add_messages(std::uint32_t rank, std::span<const TraceTuple> event, const MpiCallRecord& call);
  void add_sent(std::uint32_t rank, const MpiCallRecord& message);
  void add_received(std::uint32_t rank, const MpiCallRecord& message);
  Messages* messages_of(const MessageKey& key);
  void keep(std::uint32_t rank, const JobCall& call);
  void number_parts(std::uint32_t rank, JobCall& call) const;

  const CallReader* reader_;
  bool is_complete_{true};
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, std::uint32_t> begun_;
  std::map<JobOperation, std::map<std::uint32_t, JobCall>> calls_;
  WindowHistory windows_;
  std::map<MessageKey, Messages> messages_;  // sender, receiver, communicator, tag
};

}  // namespace eventspace
