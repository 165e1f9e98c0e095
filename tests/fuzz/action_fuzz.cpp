// Reads any text as a program of actions and as an SMPI trace. A program that is read, written and read again
// is the same.

#include <sstream>

#include <eventspace/error.h>
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/actions/consistency.h"
#include "monitors/whatif/actions/smpi_trace.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace eventspace;

std::string written(const whatif::Program& program) {
  std::ostringstream out;
  whatif::write_actions(out, program);
  return out.str();
}

void use(const whatif::Program& program) {
  const std::string text = written(program);
  std::istringstream again(text);
  if (written(whatif::read_actions(again, "again")) != text) std::abort();
  (void)whatif::inconsistencies(program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(fuzz::bytes_of(data, size));
  try {
    std::istringstream in(text);
    use(whatif::read_actions(in, "fuzz"));
  } catch (const ConfigurationError&) {
  }
  try {
    std::istringstream in(text);
    use(whatif::read_smpi_trace(in, "fuzz"));
  } catch (const ConfigurationError&) {
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  return {
      "eventspace-actions 1\ntasks 2\nrecorded 3s\nname 0 a%20b\ngroup 1 1,0\nholds 2s lost\n"
      "0 compute 3.5us\n0 send 1 48B tag 2 group 1 takes 1us in MPI_Send sync\n0 mcast 0-1 5B\n"
      "0 isend 1 1KiB request 4\n0 wait 4 takes 5ns\n0 end\n1 recv 0 48B tag 2 group 1 wildcard\n"
      "1 recv 0 5B partial\n1 irecv 0 1024B request 1\n1 wait 1\n1 bcast 8B root 1 group 1\n1 end\n",
      "0 init\n0 send 1 0 10 1\n0 isend 1 5 10\n0 wait 0 1 5\n0 compute 1e6\n0 bcast 10 1 6\n0 finalize\n"
      "1 recv 0 0 10 1\n1 irecv 0 5 10\n1 waitall\n1 sleep 0.1\n1 bcast 10 1 6\n1 alltoallv 9 1 2 9 1 2\n"};
}
