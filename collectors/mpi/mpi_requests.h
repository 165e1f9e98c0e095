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
/// *Awaited operations* are published before the call is in flight, in parts 15 to 9: the requests of a call
/// that waits for or starts several, from the first, or that waits for one of a collective operation; the
/// receive of a Sendrecv; the processes of the group with which a call of class `window` begins or ends an
/// epoch, as partners in MPI_COMM_WORLD; and the objects that a thread polls at all places, with the last
/// record of class `look` of those made together. Each record has two:
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
/// *Completed operations* are published when the call has ended, in parts 8 to 1: the completed requests that
/// are not in the call's own record (for MPI_Waitall and MPI_Testall only receives, because all others were
/// completed as well), and the message that a Sendrecv received. The words are those of the call that began
/// the operation, with its function, place in the program and request, and with the actual source, tag and
/// bytes of a receive. If there are more receives than parts, part 1 represents the rest: it has the class
/// receive also as the class of the request (word 5, bits 44 to 47), the number of messages as the partner,
/// their total bytes, and as the tag the number of completed requests that are unknown.
namespace mpi_parts {
inline constexpr std::uint8_t highest = 15;
inline constexpr std::uint8_t lowest_awaited = 9;
inline constexpr std::size_t max_awaited = 14;
inline constexpr std::size_t max_completed = 8;
}  // namespace mpi_parts

/// Words 3 and 5 to 7 of a continuation record of awaited operations; `second` may be null. Word 3 lacks the
/// bits that are common to all kinds.
struct MpiAwaitedPair {
  std::uint64_t word3{0};
  std::uint64_t word5{0};
  std::uint64_t word6{0};
  std::uint64_t word7{0};
};
MpiAwaitedPair awaited_pair(std::uint32_t in_all, const MpiCallRecord& first,
                            const MpiCallRecord* second) noexcept;

/// The operations that a call awaits or starts, and the operations that it has completed.
struct MpiRequests {
  std::uint32_t in_all{0};  ///< number of awaited operations
  /// At most `in_all`. Each has class (MpiCallRecord::of: send, receive, collective, window), partner, tag,
  /// communicator and wildcards, or class, function, communicator and ordinal of a collective operation.
  std::vector<MpiCallRecord> awaited;
  /// Like the records of the calls that began them.
  std::vector<MpiCallRecord> completed;
  /// Receives that were completed and are not in `completed`.
  struct Rest {
    std::uint32_t messages{0};
    std::uint64_t bytes{0};
    std::uint32_t unknown{0};  ///< completed requests that are unknown
    friend bool operator==(const Rest&, const Rest&) = default;
  };
  Rest rest{};
};

/// The record of the rest, and whether a record is of this sort.
MpiCallRecord record_of(const MpiRequests::Rest& rest) noexcept;
bool is_rest(const MpiCallRecord& completed) noexcept;

/// Reads the requests from the records of one event: continuation records followed by the call's record,
/// which may be in flight or missing (scopes/tree/view_events.h). A call with one request lacks continuation
/// records; its own record has the awaited or, after the end, the completed operation. Records are untrusted;
/// invalid ones are ignored.
MpiRequests mpi_requests_of(std::span<const TraceTuple> event);

}  // namespace eventspace
