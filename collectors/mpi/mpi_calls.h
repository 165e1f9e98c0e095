#pragma once

// Private to collectors/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "collectors/mpi/mpi_record.h"

namespace eventspace {

/// Of a call that completes requests: which ones, and how it says so.
enum class MpiCompletes : std::uint8_t {
  none,
  one,      ///< MPI_Wait, MPI_Test: its only one
  any,      ///< one of several, by its index
  some,     ///< several, by their indices
  all,      ///< all of them
  removes,  ///< MPI_Request_free: it completes nothing, and the request is gone
  nothing   ///< MPI_Start, MPI_Cancel: it only names them
};

/// How many counts a vector has.
enum class MpiExtent : std::uint8_t { none, receivers, neighbors };

/// Of a call that begins or ends an epoch with a group of processes: which sort.
enum class MpiEpoch : std::uint8_t {
  none,
  access,   ///< MPI_Win_start to MPI_Win_complete: the group's windows are accessed
  exposure  ///< MPI_Win_post to MPI_Win_wait: the group accesses this process's window
};

/// A function of MPI whose calls are recorded, and which of its parameters mean what. Parameters are named as
/// in mpi.h; where the names differ between implementations, both are given: "type|datatype". Empty: the
/// function has none.
struct MpiCall {
  std::string_view name;
  MpiClass of{MpiClass::manage};
  std::string_view partner{};  ///< the rank of the other process, or of the root
  std::string_view tag{};
  std::string_view count{};  ///< of elements of `datatype`; together they give the bytes
  std::string_view datatype{};
  std::string_view communicator{};
  std::string_view in_place{};  ///< if this buffer is MPI_IN_PLACE, count and datatype mean nothing
  /// A status of one message: from it come the partner, the tag and, for a receive, the bytes when it ends.
  std::string_view status{};
  /// A status that says, when the call has ended, how many bytes of a file it has read or written.
  std::string_view moved{};
  std::string_view created{};  ///< the new communicator, which the call stores
  std::string_view freed{};    ///< the communicator, by pointer, that the call frees
  bool begins_mpi{false};      ///< when it has ended, MPI_COMM_WORLD can be used
  bool creates_later{false};   ///< `created` is a duplicate that cannot be asked before a request is complete
  std::string_view window{};   ///< stands for the communicator, as do the next two
  std::string_view made_window{};  ///< which the call stores
  std::string_view freed_window{};
  std::string_view lock{};   ///< whether a lock is exclusive
  std::string_view group{};  ///< of the epoch that begins
  MpiEpoch epoch{MpiEpoch::none};
  std::string_view named{};  ///< the name that the program gives to `communicator`

  /// `count` is a vector of counts, and `datatype` may be one of types; the bytes are their sum. If
  /// `in_place` is MPI_IN_PLACE, `in_place_count` and `in_place_datatype` stand for them.
  MpiExtent extent{MpiExtent::none};
  std::string_view in_place_count{};
  std::string_view in_place_datatype{};

  std::string_view request{};            ///< the new request, which the call stores
  std::optional<MpiClass> request_of{};  ///< the class of the operation; none: that of the call
  MpiCompletes completes{MpiCompletes::none};
  std::string_view requests{};        ///< those that it completes or starts
  std::string_view requests_count{};  ///< how many; empty: one
  std::string_view flag{};            ///< of a test or probe: whether it has found something
  std::string_view completed{};       ///< the index; how many were completed
  std::string_view indices{};
  std::string_view statuses{};
  // What a Sendrecv receives; `status` is that of the message.
  std::string_view received_from{};
  std::string_view received_tag{};
};

/// All of them. The number of a function in records is its index + 1; that of its variant for large counts
/// (NAME_c) is `large_counts` more. Numbers are part of the format of records: new functions go to the end.
std::span<const MpiCall> mpi_calls() noexcept;
inline constexpr std::uint16_t large_counts = 512;

/// Names by number, as the words of a field; empty for numbers that are not used.
std::span<const std::string_view> mpi_call_names();

}  // namespace eventspace
