#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/job_look.h"
#include "monitors/mpi/window_history.h"

namespace eventspace {

/// What the ranks of a job did before a look: how far each one is in the operations of each communicator, and
/// which messages were sent and not received. Made from the calls that trace elements
/// still have, and from those that monitors see later. Pure. Not thread-safe.
class CallHistory {
 public:
  static constexpr std::uint32_t operations_kept = 64;  ///< of each communicator, the newest
  static constexpr std::size_t max_entries = 1 << 20;  ///< of each map; what exceeds it is not known

  /// `reader` must outlive it.
  explicit CallHistory(const CallReader& reader) noexcept : reader_(&reader) {}

  /// An ended call of `rank`, that is added once. `began_ns` and `ended_ns`: since 1970.
  void add(std::uint32_t rank, std::span<const TraceTuple> event, std::int64_t began_ns,
           std::int64_t ended_ns);
  /// A call that a look shows, ended or in flight: what it tells of how far its rank is.
  void see(std::uint32_t rank, const JobCall& call);
  /// Calls were not seen, so that messages cannot be compared any more.
  void miss() noexcept { is_complete_ = false; }

  /// Sets what `look` says of the past, and completes its calls: the numbers of operations that only the
  /// history tells.
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
