#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <eventspace/stage.h>
#include "paths/views/view.h"
#include "scopes/reading/read_transaction.h"
#include "scopes/tree/view_news.h"

namespace eventspace {

/// The root of a part of a subscription (ScopeTree::look): results flow up as they appear, while other scopes
/// are read only on request (grid-distributed-evaluation, section 3.3.4: the push model).
///
/// A pull stays under way until there is news, or until its time is up. The stage polls the stage below at
/// most once in an interval, also across pulls. A poll without news (ViewNews) ends at once; its read
/// positions and counts become part of the next view. A poll with news becomes the view of the pull. So a
/// reader gets at most one view in an interval, with all events of that interval, and none while nothing
/// happens. While the reader does not pull, because it is slow, has stopped or is gone, the stage does not
/// poll.
///
///     pull 1 --look--look--look(news)--> view 1;  pull 2 --look--look-- ... --its time is up--> empty view
///
/// Keeps a quarter of a long pull's time for the way of the view. If a view does not arrive, the next one has
/// all of its contents. Not thread-safe, like every Stage.
class SubscriptionStage final : public Stage {
 public:
  /// Requires that `interval` is positive.
  SubscriptionStage(std::unique_ptr<Stage> below, std::chrono::nanoseconds interval);
  ~SubscriptionStage() override;

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  using Clock = Deadline::Clock;
  enum class State : std::uint8_t { resting, looking, has_view };

  void look(const Operation& operation);
  void end_look();

  std::unique_ptr<Stage> below_;
  const std::chrono::nanoseconds interval_;
  State state_{State::resting};
  ReadTransaction transaction_;
  Clock::time_point asked_;      // when the pull under way began
  Clock::time_point next_look_;  // at once, the first time
  Pull pull_;                    // of a poll
  Operation operation_;
  // Numbers of polls; see OperationBody.
  std::uint64_t last_{0};
  std::uint64_t confirmed_{0};
  std::uint64_t delivered_{0};  // the poll whose view is part of the last one; 0: none
  ViewNews news_;
  View quiet_;  // from polls without news, since the last view that arrived: losses and positions
};

}  // namespace eventspace
