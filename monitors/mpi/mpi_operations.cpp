#include "monitors/mpi/mpi_operations.h"

#include <algorithm>
#include <array>
#include <string>

namespace eventspace {
namespace {

struct OperationName {
  std::string_view name;  // after "MPI_" or "MPI_I"
  MpiOperation operation;
};
// The longest first: "Allgatherv" begins with "Allgather".
constexpr std::array operation_names{OperationName{"reduce_scatter", MpiOperation::reduce_scatter},
                                     OperationName{"allgather", MpiOperation::all_gather},
                                     OperationName{"allreduce", MpiOperation::all_reduce},
                                     OperationName{"alltoall", MpiOperation::all_to_all},
                                     OperationName{"barrier", MpiOperation::barrier},
                                     OperationName{"scatter", MpiOperation::scatter},
                                     OperationName{"exscan", MpiOperation::scan},
                                     OperationName{"gather", MpiOperation::gather},
                                     OperationName{"reduce", MpiOperation::reduce},
                                     OperationName{"bcast", MpiOperation::broadcast},
                                     OperationName{"scan", MpiOperation::scan}};

}  // namespace

std::optional<MpiOperation> operation_of_function(std::string_view function) {
  const std::string_view name = function.substr(std::min<std::size_t>(4, function.size()));
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view text :
       {std::string_view(lower), std::string_view(lower).substr(lower.empty() ? 0 : 1)}) {
    for (const OperationName& one : operation_names) {
      if (text.starts_with(one.name)) return one.operation;
    }
  }
  return std::nullopt;
}

bool has_root(MpiOperation operation) noexcept {
  return operation == MpiOperation::broadcast || operation == MpiOperation::reduce ||
         operation == MpiOperation::gather || operation == MpiOperation::scatter;
}

}  // namespace eventspace
