#pragma once

// Private to monitors/.

#include <cstddef>
#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// What `eventspace serve` does: runs the server of `node` until SIGINT, SIGTERM or
/// SIGHUP, and yields the exit status. Says on standard output that it serves, and on standard error what it
/// does without. `session`: as for Session. Throws as NodeServer does.
int serve_node(const std::shared_ptr<const Plan>& plan, NodeIndex node, const std::string& session);

}  // namespace eventspace
