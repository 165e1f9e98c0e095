#pragma once

#include <memory>
#include <string>

#include "pathmaps/jobs/job_of_session.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// A session without a pathmap that runs, or ran, as monitors find it by its name.
struct NamedSession {
  std::shared_ptr<const Plan> plan;
  bool has_pathmap_too{false};  ///< whether some of its processes have a pathmap, and are not in the plan
};

/// Finds the session of the observer's token in $EVENTSPACE_KEYS, the job on several machines, or the
/// processes of this machine with this name. Waits as plan_of_found_job does, and warns as it does. Throws
/// ConfigurationError for an invalid name, and if a token is for another session; EnvironmentError, with
/// advice, if no process has the name, or if all of them have a pathmap.
NamedSession find_named_session(const std::string& name, const Warn& warn);

}  // namespace eventspace
