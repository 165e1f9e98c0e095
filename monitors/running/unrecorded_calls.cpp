#include "monitors/running/unrecorded_calls.h"

#include <fmt/format.h>

#include "monitors/text/counted.h"

namespace eventspace {

namespace {

std::string why_no_process_has_pvm(const std::string& library) {
  return fmt::format(
      "no process that loaded {} on this machine uses libpvm3.so. If the program is linked statically with "
      "PVM (libpvm3.a), link it with libpvm3.so",
      library);
}

// Why not a single call was recorded although all processes joined.
std::string why_none(const RunReport::Counts& counts, const std::string& library, bool is_pvm) {
  if (counts.is_other_library > 0) {
    return fmt::format("{} was loaded into {} of another MPI; choose the right MPI with --mpi", library,
                       counted(counts.is_other_library, "process"));
  }
  if (counts.loaded == 0) {
    return fmt::format(
        "no process on this machine has loaded {}. Programs that are linked "
        "statically or run with the rights of another user do not load it, and a launcher may remove "
        "LD_PRELOAD from the environment",
        library);
  }
  if (counts.has_library == 0 && is_pvm) return why_no_process_has_pvm(library);
  if (counts.has_library == 0) {
    return fmt::format(
        "no process that loaded {} on this machine uses an MPI library. If the program is linked statically "
        "with MPI, link it dynamically; if it uses another MPI, choose it with --mpi; if it loads MPI with "
        "dlopen and dlsym, as plug-ins may, the calls bypass the recording library: link the caller with "
        "MPI; if a launcher removes LD_PRELOAD and EVENTSPACE_SESSION from the environment, forward them "
        "(`mpirun -x LD_PRELOAD -x EVENTSPACE_SESSION`)",
        library);
  }
  return is_pvm ? "no process on this machine has become a task of PVM"
                : "no process on this machine has called MPI_Init";
}

}  // namespace

std::optional<std::string> why_unrecorded(const RunReport::Counts& counts, const std::string& library) {
  const bool is_pvm = library.find("-pvm.") != std::string::npos;
  const std::string_view words = is_pvm ? "PVM" : "MPI";
  if (counts.joined > 0 && counts.failed > 0) {
    return fmt::format("the calls of {} of {} were not recorded: {}", words,
                       counted(counts.failed, "process"), counts.why);
  }
  if (counts.joined > 0) return std::nullopt;
  return fmt::format("no call of {} was recorded: {}", words,
                     counts.failed > 0 ? counts.why : why_none(counts, library, is_pvm));
}

}  // namespace eventspace
