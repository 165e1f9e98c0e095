#include "monitors/running/unrecorded_calls.h"

#include <fmt/format.h>

#include "monitors/text/counted.h"

namespace eventspace {

std::optional<std::string> why_unrecorded(const RunReport::Counts& counts, const std::string& library) {
  if (counts.joined > 0 && counts.failed > 0) {
    return fmt::format("the calls of MPI of {} were not recorded: {}", counted(counts.failed, "process"),
                       counts.why);
  }
  if (counts.joined > 0) return std::nullopt;
  if (counts.failed > 0) return fmt::format("no call of MPI was recorded: {}", counts.why);
  if (counts.is_other_mpi > 0) {
    return fmt::format(
        "no call of MPI was recorded: {} was loaded into {} of another MPI; choose that with --mpi", library,
        counted(counts.is_other_mpi, "process"));
  }
  if (counts.loaded == 0) {
    return fmt::format(
        "no call of MPI was recorded: no process on this machine has loaded {}. Programs that are linked "
        "statically or run with the rights of another user do not load it, and a launcher may take "
        "LD_PRELOAD "
        "from its environment",
        library);
  }
  if (counts.has_mpi == 0) {
    return fmt::format(
        "no call of MPI was recorded: no process on this machine that has loaded {} has an MPI. If the "
        "program is linked statically with MPI, link it dynamically; if its MPI is another one, choose it "
        "with --mpi; if a launcher keeps LD_PRELOAD and EVENTSPACE_SESSION from it, have them passed on "
        "(`mpirun -x LD_PRELOAD -x EVENTSPACE_SESSION`)",
        library);
  }
  return "no call of MPI was recorded: no process on this machine has called MPI_Init";
}

}  // namespace eventspace
