// The shared library libeventspace-pvm.so, which is preloaded into PVM programs that do not use EventSpace:
// docs/pvm.md. Only the functions that it records and the function of the probes are visible
// (pvm_library.map), so that the library never interferes with another copy of EventSpace in the program.
#include "pathmaps/preloading/next_function.h"
#include "pathmaps/pvm/pvm_process.h"
#include "pathmaps/pvm/real_pvm.h"
#include "pathmaps/sessions/run_report.h"

namespace eventspace::pvm {
namespace {

__attribute__((constructor)) void report_to_run() {
  if (is_program_of_pvm()) return;
  RunReport::tell(RunEvent::loaded);
  if (preloading::find_next("pvm_mytid", libraries_of_pvm) != nullptr) RunReport::tell(RunEvent::has_library);
}

}  // namespace
}  // namespace eventspace::pvm
