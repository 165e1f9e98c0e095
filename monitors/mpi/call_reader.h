#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collectors/mpi/mpi_requests.h"
#include "monitors/mpi/job_communicators.h"
#include "monitors/mpi/job_look.h"
#include "monitors/mpi/window_history.h"

namespace eventspace {

/// Whether the function returns at once, whatever other processes do.
bool is_immediate(const MpiCallRecord& call);

/// The number under which calls of a function are counted that all members of a communicator call together.
/// MPI_Init and MPI_Init_thread share one.
std::uint16_t counted_as(std::uint16_t function);
/// Whether the function begins MPI.
bool begins_mpi(std::uint16_t function);

/// Converts records of MPI into calls of a job. This is the only place that interprets the words of records
/// for verdicts. Not thread-safe.
class CallReader {
 public:
  /// `communicators` must outlive it.
  explicit CallReader(JobCommunicators& communicators) noexcept : communicators_(&communicators) {}

  /// The call of `rank` whose records are `event` (scopes/tree/view_events.h), without its times. The number
  /// of an operation that a Wait awaits is 0 if the records do not contain it.
  [[nodiscard]] JobCall read(std::uint32_t rank, std::span<const TraceTuple> event) const;
  /// The series of unsuccessful polls to which the event belongs, without its times, if it is of class
  /// `look`. It awaits nothing if some of the polled messages or requests are unknown.
  [[nodiscard]] std::optional<JobCall> read_poll(std::uint32_t rank, std::span<const TraceTuple> event) const;
  /// The effect of a call of class `window` on the epochs of its process.
  [[nodiscard]] WindowCall read_epoch(std::uint32_t rank, std::span<const TraceTuple> event) const;
  /// The rank in MPI_COMM_WORLD of a call's partner; nullopt if the call has no partner or it is not known.
  [[nodiscard]] std::optional<std::uint32_t> partner_of(std::uint32_t rank, const MpiCallRecord& call) const;

 private:
  void add_own_parts(JobCall& read, std::uint32_t rank, const MpiCallRecord& call) const;
  void add_requests(JobCall& read, std::uint32_t rank, std::span<const TraceTuple> event) const;
  void add_request(JobCall& read, std::uint32_t rank, const MpiCallRecord& request) const;
  void add_message(JobCall& read, std::uint32_t rank, AwaitedPart::What what,
                   const MpiCallRecord& call) const;

  JobCommunicators* communicators_;
};

}  // namespace eventspace
