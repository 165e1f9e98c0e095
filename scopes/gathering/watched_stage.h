#pragma once

// Private to scopes/.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "paths/remote/hop_numbers.h"
#include "paths/stage.h"
#include "paths/views/view.h"
#include "scopes/gathering/operator_thread.h"

namespace eventspace {

/// A node of a scope's tree whose wrapper is somebody else's: it may throw, and it may never return. It acts
/// on what one stage below yields, in a thread of its own, and has a limit for that.
///
///     idle --begin--> asking --the view below is there--> acting --in time--> idle
///                                                          \---------------> late --> idle
///                                                           the limit is over     it returned after all
///
/// Who throws yields nothing: records are counted as Loss::failed, the rest of the view goes on. Who is late
/// is done without: that pull, and those that follow, do not ask what is below, and name the wrapper; the
/// view that it has is part of the first pull after it returned. So nothing is lost by being late, but what
/// trace elements discard meanwhile. The pulls of what is below have numbers of their own for that.
///
/// finish waits for the wrapper, no longer than the limit; ready never does.
class WatchedStage final : public Stage {
 public:
  struct Config {
    std::chrono::nanoseconds limit;
    Missing known_as;  ///< node, what and sources; cause and detail are set
  };
  WatchedStage(Config config, std::unique_ptr<Stage> below, std::unique_ptr<OperatorThread> wrapper);
  ~WatchedStage() override;

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  enum class State : std::uint8_t { idle, asking, acting, late };

  void ask(const Operation& operation);
  void hand_over(const Operation& operation);
  void conclude(Operation& operation);
  void be_late(View& view);
  void fail(OperatorThread::Outcome outcome, View& view);
  void name(View& view, MissingCause cause, std::string detail) const;
  [[nodiscard]] Deadline deadline_below(Deadline whole) const;

  Config config_;
  std::unique_ptr<Stage> below_;
  std::unique_ptr<OperatorThread> wrapper_;
  State state_{State::idle};
  Pull pull_;  // of what is below
  Operation operation_;
  ViewAccount account_;  // of the data that the wrapper acts on
  std::uint64_t records_{0};
  Deadline end_{Deadline::never()};  // of the wrapper's time
  std::uint64_t pulls_without_{0};
  HopNumbers numbers_;  // of the pulls of what is below
};

}  // namespace eventspace
