#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Implements `eventspace serve`: runs the server of `node` until SIGINT, SIGTERM or SIGHUP and returns the
/// exit status. Prints a line to standard output when it serves, and warnings to standard error. `session` is
/// as for Session. Throws as NodeServer does.
int serve_node(const std::shared_ptr<const Plan>& plan, NodeIndex node, const std::string& session);

}  // namespace eventspace
