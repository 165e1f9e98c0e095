#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <eventspace/stage.h>
#include "paths/remote/hop_numbers.h"
#include "paths/views/view.h"
#include "scopes/gathering/operator_thread.h"

namespace eventspace {

/// A node of a scope's tree whose wrapper comes from a shared object and may throw or never return. The
/// wrapper is applied to the view of one stage below, in its own thread, within a time limit.
///
///     idle --begin--> asking --the view below is there--> acting --in time--> idle
///                                                          \---------------> late --> idle
///                                                           the limit is over     it returned after all
///
/// If the wrapper throws, the view's records are dropped and counted as Loss::failed, and the rest of the
/// view is passed on. If the wrapper is late, this pull and later ones list it in View::missing and do not
/// pull from the stage below; the view on which it works is part of the first pull after it has returned. So
/// a late wrapper loses nothing, except events that trace elements discard in the meantime. For this purpose,
/// the pulls of the stage below are numbered separately (HopNumbers).
///
/// finish waits for the wrapper, at most until the limit; ready never waits. Not thread-safe.
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
  Pull pull_;  // of the stage below
  Operation operation_;
  ViewAccount account_;  // account of the data that the wrapper acts on
  std::uint64_t records_{0};
  Deadline end_{Deadline::never()};  // end of the wrapper's time
  std::uint64_t pulls_without_{0};
  HopNumbers numbers_;  // of the pulls of the stage below
};

}  // namespace eventspace
