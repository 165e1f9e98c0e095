#pragma once

#include <string>

namespace eventspace {

/// The call by which a program took part in a collective operation. Plain data.
struct CollectiveCall {
  std::string operation{};  ///< such as "MPI_Allreduce"; empty: unknown, or implied by the collective
  std::string site{};       ///< its place in the program, "solve (app.c:12)"; empty: unknown

  [[nodiscard]] bool is_empty() const noexcept { return operation.empty(); }
  /// "MPI_Allreduce at solve (app.c:12)"
  [[nodiscard]] std::string text() const { return site.empty() ? operation : operation + " at " + site; }
  friend auto operator<=>(const CollectiveCall&, const CollectiveCall&) = default;
};

}  // namespace eventspace
