#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// A process of a job on another machine.
struct RemoteProcess {
  std::string name;
  std::string node;
  std::int32_t pid{0};
  std::string state;  ///< as `ls` shows it: alive, or dead
  std::size_t threads{0};
};

/// Queries the servers of the other machines in `plan`, the plan of a job, once. Blocks for at most two
/// seconds. Reports on standard error which machines have not answered.
std::vector<RemoteProcess> processes_elsewhere(const std::shared_ptr<const Plan>& plan);

/// A session of this machine that is a job on several machines, with its processes elsewhere.
struct JobElsewhere {
  std::string session;
  std::vector<RemoteProcess> processes;
};
std::vector<JobElsewhere> jobs_elsewhere();

}  // namespace eventspace
