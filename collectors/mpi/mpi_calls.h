#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "collectors/mpi/mpi_record.h"

namespace eventspace {

/// Which requests a call completes, and how it reports them.
enum class MpiCompletes : std::uint8_t {
  none,
  one,      ///< MPI_Wait, MPI_Test: its only request
  any,      ///< one of several, reported by index
  some,     ///< several, reported by indices
  all,      ///< all of them
  removes,  ///< MPI_Request_free: completes nothing, but destroys the request
  nothing   ///< MPI_Start, MPI_Cancel: only names requests
};

/// The length of a vector of counts.
enum class MpiExtent : std::uint8_t { none, receivers, neighbors };

/// The sort of epoch with a group of processes that a call begins or ends.
enum class MpiEpoch : std::uint8_t {
  none,
  access,   ///< MPI_Win_start to MPI_Win_complete: the group's windows are accessed
  exposure  ///< MPI_Win_post to MPI_Win_wait: the group accesses this process's window
};

/// A function of MPI whose calls are recorded, and the roles of its parameters. Parameters are named as in
/// mpi.h; where implementations differ, both names are given: "type|datatype". Empty means that the function
/// lacks such a parameter.
struct MpiCall {
  std::string_view name;
  MpiClass of{MpiClass::manage};
  std::string_view partner{};  ///< the rank of the other process, or of the root
  std::string_view tag{};
  std::string_view count{};  ///< of elements of `datatype`; together they give the bytes
  std::string_view datatype{};
  std::string_view communicator{};
  std::string_view in_place{};  ///< if this buffer is MPI_IN_PLACE, count and datatype are ignored
  /// The status of one message: the source of the partner, the tag and, for a receive, the bytes at the end.
  std::string_view status{};
  /// A status with the bytes of a file that were read or written, valid when the call has ended.
  std::string_view moved{};
  std::string_view created{};  ///< the new communicator, which the call stores
  std::string_view freed{};    ///< the communicator, by pointer, that the call frees
  bool begins_mpi{false};      ///< MPI_COMM_WORLD can be used after it has ended
  bool creates_later{false};   ///< `created` is a duplicate that cannot be used before a request is complete
  std::string_view window{};   ///< identifies the communicator, as do the next two
  std::string_view made_window{};  ///< which the call stores
  std::string_view freed_window{};
  std::string_view lock{};   ///< whether a lock is exclusive
  std::string_view group{};  ///< of the epoch that begins
  MpiEpoch epoch{MpiEpoch::none};
  std::string_view named{};  ///< the name that the program gives to `communicator`

  /// `count` is a vector of counts, and `datatype` may be a vector of types; the bytes are summed. If
  /// `in_place` is MPI_IN_PLACE, `in_place_count` and `in_place_datatype` replace them.
  MpiExtent extent{MpiExtent::none};
  std::string_view in_place_count{};
  std::string_view in_place_datatype{};

  std::string_view request{};            ///< the new request, which the call stores
  std::optional<MpiClass> request_of{};  ///< the class of the operation, if it differs from the call's
  MpiCompletes completes{MpiCompletes::none};
  std::string_view requests{};        ///< the requests that it completes or starts
  std::string_view requests_count{};  ///< how many; empty means one
  std::string_view flag{};            ///< for a test or probe: whether it found something
  std::string_view completed{};       ///< the index; how many were completed
  std::string_view indices{};
  std::string_view statuses{};
  // The message that a Sendrecv receives; `status` describes it.
  std::string_view received_from{};
  std::string_view received_tag{};
};

/// All recorded functions. The number of a function in records is its index + 1; its variant for large counts
/// (NAME_c) has a number that is `large_counts` higher. Numbers are part of the record format: new functions
/// are appended.
std::span<const MpiCall> mpi_calls() noexcept;
inline constexpr std::uint16_t large_counts = 512;

/// Names by number, as the words of a field; empty for unused numbers.
std::span<const std::string_view> mpi_call_names();

}  // namespace eventspace
