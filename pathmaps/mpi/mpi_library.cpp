// The shared libraries libeventspace-openmpi.so and libeventspace-mpich.so, which are preloaded into MPI
// programs that do not use EventSpace: docs/mpi.md. Both are built from the same sources, each with its
// mpi.h. Only the functions of MPI and the probe function are visible (mpi_library.map), so the library does
// not clash with another copy of EventSpace in the program.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "pathmaps/mpi/real_mpi.h"
#include "pathmaps/mpi/recording.h"
#include "pathmaps/sessions/run_report.h"

namespace eventspace::mpi {
namespace {

struct Implementation {
  const char* name;
  const char* option;  ///< of `run --mpi`
  const char* symbol;  ///< unique to the implementation
};
constexpr Implementation open_mpi{"Open MPI", "openmpi", "ompi_mpi_comm_world"};
constexpr Implementation mpich{"MPICH", "mpich", "MPII_Version_string"};
#ifdef OPEN_MPI
constexpr Implementation own = open_mpi;
constexpr Implementation other = mpich;
#else
constexpr Implementation own = mpich;
constexpr Implementation other = open_mpi;
#endif

bool is_here(const Implementation& implementation) {
  return ::dlsym(RTLD_DEFAULT, implementation.symbol) != nullptr;
}

// A program may define functions of MPI itself, for example in a profiler that is linked with it. Its calls
// by these names then reach its own functions. If these call our PMPI_X, that call is recorded.
void say_what_program_defines() {
  for (std::size_t slot = 0; slot < table.names.size(); ++slot) {
    const char* const name = table.names[slot];
    void* const first = ::dlsym(RTLD_DEFAULT, name);
    Dl_info own{};
    Dl_info found{};
    if (first == nullptr || ::dladdr(reinterpret_cast<const void*>(&say_what_program_defines), &own) == 0 ||
        ::dladdr(first, &found) == 0 || own.dli_fbase == found.dli_fbase)
      continue;
    std::fprintf(stderr,
                 "eventspace: %s is also defined in %s, before the recording library: calls that it does not "
                 "forward are not recorded\n",
                 name, found.dli_fname);
    return;
  }
}

// In a process of the other MPI, the functions bypass the wrappers, because the parameters have different
// types.
__attribute__((constructor)) void look_which_mpi_it_is() {
  const bool is_verbose = std::getenv("EVENTSPACE_VERBOSE") != nullptr;
  RunReport::tell(RunEvent::loaded);
  if (is_here(own)) RunReport::tell(RunEvent::has_library);
  if (is_here(own) && is_verbose) say_what_program_defines();
  if (is_here(own) || !is_here(other)) return;
  RunReport::tell(RunEvent::is_other_library);
  for (std::size_t slot = 0; slot < table.slots.size(); ++slot) {
    if (void* const next = find_next(table.names[slot])) table.slots[slot] = next;
  }
  if (is_verbose) {
    std::fprintf(stderr,
                 "eventspace: calls of MPI are not recorded: the program uses %s, and the library loaded is "
                 "that for %s; use `eventspace run --mpi %s`\n",
                 other.name, own.name, other.option);
  }
}

}  // namespace
}  // namespace eventspace::mpi
