#pragma once

// The kind of target at which other processes request the report of a network from its front-end. Its verb is
// Verb::exchange, the request is empty, and the reply is a NetworkReport as text (to_text).

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "paths/bodies/target_kind.h"
#include "scopes/streams/processes/report_gathering.h"

namespace eventspace::streams {

inline constexpr std::string_view report_target_name = "stream-report";

/// Answers requests for the report, in the loop of the front-end's server. Each request starts gathering,
/// unless it is in progress. Used by one thread.
class ReportDesk {
 public:
  /// `describe` makes the report from the gathered data; `wake` makes the loop send queued messages.
  /// `gathering` must outlive this object, and this object the kind.
  ReportDesk(ReportGathering& gathering, std::function<NetworkReport()> describe, std::function<void()> wake)
      : gathering_(&gathering), describe_(std::move(describe)), wake_(std::move(wake)) {}
  ReportDesk(const ReportDesk&) = delete;
  ReportDesk& operator=(const ReportDesk&) = delete;

  [[nodiscard]] std::shared_ptr<const TargetKind> kind();
  /// To be called when gathering may have ended: answers the waiting requests.
  void look();

 private:
  class AskedStage;
  friend class AskedStage;

  ReportGathering* gathering_;
  std::function<NetworkReport()> describe_;
  std::function<void()> wake_;
  std::map<const void*, Waker*> waiting_;
};

/// A request for the report of a front-end in another process. The constructor sends it and does not wait, so
/// that many can be in progress. Used by one thread.
class FrontEndQuestion {
 public:
  /// Throws as security_of_file does.
  FrontEndQuestion(const AttachPoint& point, Deadline deadline);
  ~FrontEndQuestion();
  FrontEndQuestion(const FrontEndQuestion&) = delete;
  FrontEndQuestion& operator=(const FrontEndQuestion&) = delete;

  /// Waits for the answer, up to the deadline; called once. Throws EnvironmentError with the reason if the
  /// answer is missing or invalid.
  [[nodiscard]] NetworkReport answer();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
