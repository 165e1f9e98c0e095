#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace eventspace {

/// What a collective operation of MPI does.
enum class MpiOperation : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  all_reduce,
  gather,
  scatter,
  all_gather,
  all_to_all,
  reduce_scatter,
  scan
};

/// The operation of a function such as "MPI_Iallreduce" or "MPI_Alltoallv_c"; nullopt for others, also for
/// operations among neighbours.
[[nodiscard]] std::optional<MpiOperation> operation_of_function(std::string_view function);
[[nodiscard]] bool has_root(MpiOperation operation) noexcept;

}  // namespace eventspace
