#pragma once

// Private to collectors/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "collectors/mpi/mpi_record.h"

namespace eventspace {

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
  std::string_view created{};  ///< the new communicator, which the call stores
  std::string_view freed{};    ///< the communicator, by pointer, that the call frees
  bool begins_mpi{false};      ///< when it has ended, MPI_COMM_WORLD can be used
};

/// All of them. The number of a function in records is its index + 1; that of its variant for large counts
/// (NAME_c) is `large_counts` more. Numbers are part of the format of records: new functions go to the end.
std::span<const MpiCall> mpi_calls() noexcept;
inline constexpr std::uint16_t large_counts = 512;

/// Names by number, as the words of a field; empty for numbers that are not used.
std::span<const std::string_view> mpi_call_names();

}  // namespace eventspace
