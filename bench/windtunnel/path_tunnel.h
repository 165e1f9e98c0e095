// The wind tunnel on EventSpace's paths, in this process: the workers and the coordinator of the program
// `windtunnel`, which are all threads of the pathmap's first process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "apps/windtunnel/gas/config.h"
#include "apps/windtunnel/gas/settings.h"
#include "apps/windtunnel/program/coordinator.h"
#include "apps/windtunnel/program/team.h"
#include "bench/windtunnel/tunnel_run.h"
#include "pathmaps/plan/plan.h"

namespace eventspace::windtunnel {

// Runs the workers and the coordinator until they are done or the team is ending; calls `meanwhile` when all
// of them have been started. A failure becomes the team's failure.
void run_threads(Session& session, Team& team, Coordinator& coordinator, const Settings& settings,
                 const std::function<void()>& meanwhile = {});

enum class Collecting : bool { off, on };

// The plan must have one process, p0. Throws std::runtime_error if the run fails, if it recorded events
// although it should not, or did not although it should.
TunnelRun run_on_paths(const std::shared_ptr<const Plan>& plan, const TunnelConfig& config,
                       std::uint64_t steps, Collecting collecting);

}  // namespace eventspace::windtunnel
