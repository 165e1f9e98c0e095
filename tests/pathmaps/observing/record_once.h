#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "collectors/clock.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/consumer.h"
#include "pathmaps/variants/scope_variants.h"
#include "scopes/recordings/recording_writer.h"
#include "scopes/tree/newest_of_each.h"

namespace eventspace::test {

inline std::int64_t steady_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// Records once what the processes of the session have recorded so far, without servers, as `eventspace
/// snapshot` does, as if recording had begun a second ago. `ends`: whether the recorder ends in an orderly
/// way. `more`: text that is added to the recorded pathmap.
inline void record_once(const std::filesystem::path& file, const std::filesystem::path& pathmap,
                        bool ends = true, const std::string& more = {}) {
  const auto plan = std::make_shared<const Plan>(require_plan(pathmap));
  Consumer consumer(plan);
  ScopeTree tree = events_of_everything(pathmap, *plan, true);
  tree.batch = 1U << 18;
  tree.most = 0;
  const ClockCalibration& clock = Clock::instance().calibration();
  RecordedSession recorded;
  recorded.session = consumer.session();
  recorded.pathmap = whole_pathmap(pathmap) + more;
  recorded.begun_ns = steady_ns() - 1'000'000'000;
  recorded.realtime_ns = static_cast<std::int64_t>(clock.realtime_ns - clock.monotonic_ns);
  RecordingWriter writer({.file = file,
                          .session = recorded,
                          .names = &consumer.names(),
                          .replaces = true,
                          .collects = std::chrono::nanoseconds(0)});
  EventScope events = consumer.open(tree);
  EventScope newest = consumer.open(newest_of_each(tree));
  writer.add_state(newest.pull({.with_threads = true}), steady_ns());
  writer.add_events(events.pull({}), steady_ns());
  writer.add_state(newest.pull({.with_threads = true}), steady_ns());
  if (ends) writer.end({.reason = "done", .ended_ns = steady_ns()});
}

}  // namespace eventspace::test
