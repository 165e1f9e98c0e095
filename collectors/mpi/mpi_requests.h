#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Continuation records of a call of MPI (record_header.h). There are two sorts.
///
/// *What is awaited* is published before the call is in flight, in parts 15 to 9: the requests of a call that
/// waits for or starts several, from the first, or for one of a collective operation; what a Sendrecv
/// receives; the processes of the group with which a call of class `window` begins or ends an epoch, as
/// partners in MPI_COMM_WORLD; and what a thread looks for in vain at all places, of the last one of records
/// of class `look` that are made together. Two to a record:
///
///     word 3   as in the call's record, but how many there are in all, also those that are not listed
///              (bits 32 to 63)
///     word 5   the first (bits 0 to 31), the second (32 to 63): partner (24 bits; all set: none), MpiClass
///              (4 bits; 0: no second one), MpiWildcards (4 bits)
///     word 6   of the first: tag (0 to 31), communicator (32 to 63)
///     word 7   of the second: the same
///
/// A collective operation has the number of its function instead of the partner, and its ordinal instead of
/// the tag.
///
/// *What was completed* is published when the call has ended, in parts 8 to 1: of a call that has completed
/// several requests, those that the call's own record does not have; of MPI_Waitall and MPI_Testall, only
/// receives, as all others were completed, too; and what a Sendrecv has received. The words are those of the
/// call that began the operation, with its function, its place in the program and its request, and with the
/// true source, tag and bytes of a receive. If there are more receives than parts, part 1 stands for the
/// rest: it has the class receive also as that of a request (word 5, bits 44 to 47), how many messages there
/// are in the place of the partner, their bytes together, and in the place of the tag how many requests were
/// completed of which nothing is known.
namespace mpi_parts {
inline constexpr std::uint8_t highest = 15;
inline constexpr std::uint8_t lowest_awaited = 9;
inline constexpr std::size_t most_awaited = 14;
inline constexpr std::size_t most_completed = 8;
}  // namespace mpi_parts

/// Words 3 and 5 to 7 of a continuation record of what is awaited; `second` may be null. Word 3 lacks the
/// bits that all kinds have.
struct MpiAwaitedPair {
  std::uint64_t word3{0};
  std::uint64_t word5{0};
  std::uint64_t word6{0};
  std::uint64_t word7{0};
};
MpiAwaitedPair awaited_pair(std::uint32_t in_all, const MpiCallRecord& first,
                            const MpiCallRecord* second) noexcept;

/// What a call waits for or starts, and what it has completed.
struct MpiRequests {
  std::uint32_t in_all{0};  ///< of those that are awaited
  /// At most `in_all`. Each says class (MpiCallRecord::of: send, receive, collective, window), partner, tag,
  /// communicator and wildcards, or class, function, communicator and ordinal of a collective operation.
  std::vector<MpiCallRecord> awaited;
  /// As the records of the calls that began them.
  std::vector<MpiCallRecord> completed;
  /// Receives that were completed and are not in `completed`.
  struct Rest {
    std::uint32_t messages{0};
    std::uint64_t bytes{0};
    std::uint32_t unknown{0};  ///< requests of any class of which nothing is known
    friend bool operator==(const Rest&, const Rest&) = default;
  };
  Rest rest{};
};

/// The record of the rest, and whether a record is one.
MpiCallRecord record_of(const MpiRequests::Rest& rest) noexcept;
bool is_rest(const MpiCallRecord& completed) noexcept;

/// Reads them from the records of one event: continuation records, and then that of the call, which may be in
/// flight or missing (scopes/tree/view_events.h). A call that has one request has no continuation record; its
/// own record says what is awaited or, when it has ended, what was completed. Records can hold anything; of
/// those that make no sense, nothing is read.
MpiRequests mpi_requests_of(std::span<const TraceTuple> event);

}  // namespace eventspace
