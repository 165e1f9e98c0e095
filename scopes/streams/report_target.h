#pragma once

// Private to scopes/.
// The kind of target at which other processes ask a front-end for the report of its network. Its verb is
// Verb::exchange, the request has no body, and the reply is a NetworkReport as text (report.h).

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "paths/bodies/target_kind.h"
#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/report.h"
#include "scopes/streams/report_gathering.h"

namespace eventspace::streams {

inline constexpr std::string_view report_target_name = "stream-report";

/// Answers questions for the report, in the loop of the front-end's server. Each question gathers anew,
/// unless that is under way. Used by one thread.
class ReportDesk {
 public:
  /// `describe` makes the report of what was gathered; `wake` makes that the loop sends what waits.
  /// `gathering` must outlive this object, and this object the kind.
  ReportDesk(ReportGathering& gathering, std::function<NetworkReport()> describe, std::function<void()> wake)
      : gathering_(&gathering), describe_(std::move(describe)), wake_(std::move(wake)) {}
  ReportDesk(const ReportDesk&) = delete;
  ReportDesk& operator=(const ReportDesk&) = delete;

  [[nodiscard]] std::shared_ptr<const TargetKind> kind();
  /// To be called when the gathering may have ended: answers the questions that wait.
  void look();

 private:
  class AskedStage;
  friend class AskedStage;

  ReportGathering* gathering_;
  std::function<NetworkReport()> describe_;
  std::function<void()> wake_;
  std::map<const void*, Waker*> waiting_;
};

/// A question to a front-end, from another process. The constructor asks and does not wait, so that many can
/// be under way. Used by one thread.
class FrontEndQuestion {
 public:
  /// Throws as security_of_file does.
  FrontEndQuestion(const AttachPoint& point, Deadline deadline);
  ~FrontEndQuestion();
  FrontEndQuestion(const FrontEndQuestion&) = delete;
  FrontEndQuestion& operator=(const FrontEndQuestion&) = delete;

  /// Waits for the answer, until the deadline at the longest; called once. Throws EnvironmentError with the
  /// reason if there is none, or none that can be read.
  [[nodiscard]] NetworkReport answer();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
