// A worker: the thread of the pathmap that steps one slice of the tunnel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <eventspace/session.h>
#include "apps/windtunnel/exchange/border_exchange.h"
#include "apps/windtunnel/exchange/message.h"
#include "apps/windtunnel/gas/settings.h"
#include "apps/windtunnel/gas/slice.h"
#include "apps/windtunnel/program/stall.h"
#include "apps/windtunnel/program/team.h"

namespace eventspace::windtunnel {

struct WorkerJob {
  Settings settings;
  std::size_t number = 0;   // of this worker in the tunnel
  std::size_t workers = 1;  // in all processes
  std::size_t place = 0;    // of this worker in its team
  std::optional<StallOrder> stall;
};

// Belongs to the thread that makes it. Its paths are the paths of BorderExchange; `progress`, to which it
// writes (int steps done, int particles that came into its slice through the ends of the tunnel minus the
// particles that left); `result`, see message.h; and, if they are used, `balance` and `barrier`, to
// collectives of the same names.
class Worker {
 public:
  // The calling thread becomes the worker. Session and team must outlive this object.
  Worker(Session& session, Team& team, const WorkerJob& job);

  // Does all steps, or fewer if the team is ending. Throws the exceptions of BorderExchange.
  void run();

  // Call when the team is ending.
  void say_farewell() { borders_.say_farewell(); }

 private:
  void step(std::uint64_t step);
  void report_progress(std::uint64_t steps_done);
  void sample_if_due(std::uint64_t steps_done);
  void meet_if_due(std::uint64_t steps_done);
  void send_result();
  void send_process_report(std::chrono::nanoseconds duration);
  void send(std::uint64_t steps_done, const Message& message);
  void stall(StallKind kind);

  Session& session_;
  Team& team_;
  const WorkerJob job_;
  SessionThread& thread_;
  Slice slice_;
  BorderExchange borders_;
  Path& progress_;
  Path& result_;
  Field frame_;
  Path* balance_;  // null if the balance is not checked
  Path* barrier_;  // null without a barrier
  Totals before_;
  Totals impulses_;  // from walls and obstacle; counted only if the balance is checked
  Throughput flow_;
};

// Does all the work of a worker's thread. Failures are reported to the team.
void work(Session& session, Team& team, const WorkerJob& job) noexcept;

}  // namespace eventspace::windtunnel
