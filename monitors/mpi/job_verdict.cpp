#include "monitors/mpi/job_verdict.h"

namespace eventspace {

std::string_view to_string(JobFault fault) noexcept {
  switch (fault) {
    case JobFault::dead:
      return "dead";
    case JobFault::stopped:
      return "stopped";
    case JobFault::mismatch:
      return "mismatch";
    case JobFault::order:
      return "order";
    case JobFault::lost_message:
      return "lost message";
    case JobFault::cycle:
      return "cycle";
    case JobFault::absent:
      return "absent";
    case JobFault::alive:
      return "slow but alive";
    case JobFault::inside:
      return "inside";
    case JobFault::across:
      return "between jobs";
  }
  return "?";
}

}  // namespace eventspace
