#include "bench/windtunnel/path_tunnel.h"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include <eventspace/session.h>
#include "apps/windtunnel/program/crew.h"
#include "apps/windtunnel/program/worker.h"
#include "pathmaps/plan/plan.h"

namespace eventspace::windtunnel {
namespace {

void check(const Session& session, const Team& team, Collecting collecting) {
  if (const auto failure = team.failure()) throw std::runtime_error(failure->what);
  const auto recorded = session.events_recorded();
  if ((recorded > 0) != (collecting == Collecting::on))
    throw std::runtime_error(fmt::format("{} events were recorded", recorded));
}

}  // namespace

void run_threads(Session& session, Team& team, Coordinator& coordinator, const Settings& settings,
                 const std::function<void()>& meanwhile) {
  const auto workers = count_workers(session.plan());
  const auto work_as = [&](std::size_t i) { work(session, team, {settings, i, workers, i, {}}); };
  std::vector<std::jthread> running;
  running.emplace_back([&] { team.guard([&] { coordinator.run(); }); });
  team.guard([&] {
    for (std::size_t i = 0; i < workers; ++i) running.emplace_back(work_as, i);
    if (meanwhile) meanwhile();
  });
}

TunnelRun run_on_paths(const std::shared_ptr<const Plan>& plan, const TunnelConfig& config,
                       std::uint64_t steps, Collecting collecting) {
  auto session = Session::join(
      plan, "p0",
      {.name = fmt::format("bench-windtunnel-{}", getpid()), .collect = collecting == Collecting::on});
  const Settings settings{.tunnel = config, .steps = steps};
  Team team(session, count_workers(*plan), [](const Failure& /*reported by check()*/) {});
  Coordinator coordinator(session, settings, {});
  run_threads(session, team, coordinator, settings);
  check(session, team, collecting);
  return {coordinator.summary().duration, coordinator.summary().checksum};
}

}  // namespace eventspace::windtunnel
