#pragma once

#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"
#include "pathmaps/plan/plan_names.h"
#include "scopes/recordings/recording_reader.h"
#include "scopes/recordings/replay.h"

namespace eventspace {

/// A recorded run, with the plan whose numbers its records use. Thread-safe like Replay.
class RecordedRun {
 public:
  /// `plan`: the plan of RecordedSession::pathmap, or of the session without a pathmap.
  RecordedRun(RecordingReader recording, std::shared_ptr<const Plan> plan);

  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const noexcept { return plan_; }
  [[nodiscard]] const PlanNames& names() const noexcept { return names_; }
  [[nodiscard]] const std::string& session() const noexcept { return replay_.recording().session().session; }
  [[nodiscard]] Replay& replay() noexcept { return replay_; }
  [[nodiscard]] const Replay& replay() const noexcept { return replay_; }

 private:
  std::shared_ptr<const Plan> plan_;
  NamesOfPlan names_;
  Replay replay_;
};

}  // namespace eventspace
