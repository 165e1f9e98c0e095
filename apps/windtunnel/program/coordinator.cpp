#include "apps/windtunnel/program/coordinator.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "apps/windtunnel/exchange/operations.h"
#include "apps/windtunnel/program/crew.h"

namespace eventspace::windtunnel {

Coordinator::Coordinator(Session& session, const Settings& settings, const std::filesystem::path& frames)
    : session_(session) {
  summary_.settings = settings;
  summary_.threads = count_workers(session.plan());
  summary_.processes = count_worker_processes(session.plan());
  if (!frames.empty()) frames_.emplace(frames, settings, summary_.threads);
}

void Coordinator::run() {
  auto& path = session_.thread(kMainThread).path("results");
  while (!is_complete()) handle(take(kMainThread, path));
  if (frames_) summary_.pictures = frames_->count();
}

bool Coordinator::is_complete() const {
  return results_ == summary_.threads && reports_ == summary_.processes;
}

void Coordinator::handle(const Tuple& tuple) {
  const auto sender = sender_of(tuple);
  const auto message = message_of(tuple, summary_.settings.tunnel);
  std::visit([&](const auto& content) { handle(sender, content); }, message);
}

void Coordinator::handle(const Sender& sender, const Hello& hello) const {
  if (hello.settings == summary_.settings) return;
  throw ConfigurationError(fmt::format(
      "thread {} was started with {}, but thread {} with {}; start all processes with the same options",
      worker_name(sender.thread), to_string(hello.settings), kMainThread, to_string(summary_.settings)));
}

void Coordinator::handle(const Sender& sender, const FramePart& part) {
  if (frames_) frames_->add(sender.steps_done, part.field);
}

void Coordinator::handle(const Sender& /*sender*/, const SliceResult& result) {
  ++results_;
  summary_.before += result.before;
  summary_.after += result.after;
  summary_.flow += result.flow;
  summary_.checksum += result.checksum;
}

void Coordinator::handle(const Sender& /*sender*/, const ProcessReport& report) {
  ++reports_;
  summary_.duration = std::max(summary_.duration, std::chrono::nanoseconds(report.nanoseconds));
  // This process may still record events: the program adds its own counts at the very end.
  if (session_.plan().processes[ProcessIndex(report.process)].name == session_.process()) return;
  summary_.recorded += report.recorded;
  summary_.discarded += report.discarded;
}

}  // namespace eventspace::windtunnel
