#include "apps/windtunnel/program/worker.h"

#include <eventspace/probe.h>
#include "apps/windtunnel/exchange/operations.h"
#include "apps/windtunnel/gas/balance.h"
#include "apps/windtunnel/gas/decomposition.h"
#include "apps/windtunnel/program/crew.h"

namespace eventspace::windtunnel {
namespace {

RowRange rows_of(const WorkerJob& job) {
  return slice_rows(job.settings.tunnel.rows(), job.workers, job.number);
}

}  // namespace

Worker::Worker(Session& session, Team& team, const WorkerJob& job)
    : session_(session),
      team_(team),
      job_(job),
      thread_(session.thread(worker_name(job.number))),
      slice_(job.settings.tunnel, rows_of(job)),
      borders_(thread_, job.settings.tunnel),
      progress_(thread_.path("progress")),
      result_(thread_.path("result")),
      frame_(job.settings.tunnel, job.settings.cell(), slice_.rows()),
      balance_(job.settings.reduce_every > 0 ? &thread_.path("balance") : nullptr),
      barrier_(job.settings.barrier_every > 0 ? &thread_.path("barrier") : nullptr),
      before_(slice_.totals()) {}

void Worker::run() {
  send(0, Hello{job_.settings});
  // The clock starts only when all workers are here, so that the start of processes is not measured.
  borders_.line_up(job_.number == 0);
  team_.start_clock();
  for (std::uint64_t i = 0; i < job_.settings.steps && !team_.is_ending(); ++i) {
    if (job_.stall && job_.stall->step == i) stall(job_.stall->kind);
    step(i);
  }
  if (!team_.is_ending()) send_result();
}

void Worker::step(std::uint64_t step) {
  thread_.set_virtual_time(step);
  EVENTSPACE_REGION_BEGIN("collide");
  slice_.collide(step);
  EVENTSPACE_REGION_END("collide");
  if (balance_ != nullptr) impulses_ += impulse_of(slice_);
  borders_.send(step, slice_);
  borders_.receive(step, slice_);
  EVENTSPACE_REGION_BEGIN("propagate");
  const auto flow = slice_.propagate(step);
  EVENTSPACE_REGION_END("propagate", flow.injected, flow.left);
  flow_ += flow;
  report_progress(step + 1);
  sample_if_due(step + 1);
  meet_if_due(step + 1);
}

void Worker::meet_if_due(std::uint64_t steps_done) {
  if (job_.settings.is_balance_due(steps_done)) {
    const auto own = to_tuple(balance_of(slice_, before_, impulses_));
    require_balance(exchange(thread_.name(), *balance_, own), steps_done);
  }
  if (job_.settings.is_barrier_due(steps_done)) exchange(thread_.name(), *barrier_, {});
}

void Worker::report_progress(std::uint64_t steps_done) {
  team_.set_steps_done(job_.place, steps_done);
  write(thread_.name(), progress_,
        Tuple::of({static_cast<std::int64_t>(steps_done), flow_.injected - flow_.left}));
}

void Worker::sample_if_due(std::uint64_t steps_done) {
  const auto& settings = job_.settings;
  if (settings.is_sample_due(steps_done)) frame_ += sample(slice_, settings.cell());
  if (!settings.is_frame_due(steps_done)) return;
  send(steps_done, FramePart{frame_});
  frame_ = Field(settings.tunnel, settings.cell(), slice_.rows());
}

void Worker::send_result() {
  team_.stop_clock();
  send(job_.settings.steps, SliceResult{before_, slice_.totals(), flow_, slice_.checksum()});
  if (const auto duration = team_.finish()) send_process_report(*duration);
}

void Worker::send_process_report(std::chrono::nanoseconds duration) {
  const auto process = session_.plan().find_process(session_.process());
  send(job_.settings.steps, ProcessReport{process->number(), static_cast<std::uint64_t>(duration.count()),
                                          session_.events_recorded(), session_.events_discarded()});
}

void Worker::send(std::uint64_t steps_done, const Message& message) {
  write(thread_.name(), result_, to_tuple({job_.number, steps_done}, message));
}

void Worker::stall(StallKind kind) {
  switch (kind) {
    case StallKind::spin:
      while (!team_.is_ending()) {
      }
      return;
    case StallKind::wait:
      return borders_.wait_in_vain();
    case StallKind::sleep:
      return team_.wait_until_ending();
  }
}

void work(Session& session, Team& team, const WorkerJob& job) noexcept {
  std::optional<Worker> worker;
  team.guard([&] { worker.emplace(session, team, job).run(); });
  // Without a worker, because its constructor failed, there are no paths for a farewell.
  if (worker && team.is_ending()) team.guard([&] { worker->say_farewell(); });
}

}  // namespace eventspace::windtunnel
