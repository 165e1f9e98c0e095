#pragma once

// Private to scopes/.

#include <chrono>
#include <cstdint>
#include <memory>

#include "paths/stage.h"
#include "paths/views/view.h"
#include "scopes/reading/read_transaction.h"
#include "scopes/tree/view_news.h"

namespace eventspace {

/// The root of a part of a standing scope (ScopeTree::look): results flow up as there are any, where another
/// scope is only read when it is asked (grid-distributed-evaluation, section 3.3.4: the push model).
///
/// A pull stays under way until there is news, for as long as its reader gives it. Meanwhile the stage looks
/// at what is below it, at most once in an interval, also across pulls. A look that finds no news (ViewNews)
/// is over then; how far it read and what it counted becomes part of the next view. One that finds some is
/// the view of the pull. So a reader gets at most one view in an interval, with all that came in it; none
/// while nothing happens; and while it does not ask, because it is slow, has stopped or is gone, nothing is
/// looked at.
///
///     pull 1 --look--look--look(news)--> view 1;  pull 2 --look--look-- ... --its time is up--> empty view
///
/// Keeps a quarter of a long pull's time for the way of the view. If a view does not arrive, the next one has
/// all that was in it. Not thread-safe, like every Stage.
class StandingStage final : public Stage {
 public:
  /// Requires that `interval` is positive.
  StandingStage(std::unique_ptr<Stage> below, std::chrono::nanoseconds interval);
  ~StandingStage() override;

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
  Pull pull_;                    // of a look
  Operation operation_;
  // Numbers of looks; see OperationBody.
  std::uint64_t last_{0};
  std::uint64_t confirmed_{0};
  std::uint64_t delivered_{0};  // the look whose view is part of the last one; 0: none
  ViewNews news_;
  View quiet_;  // of the looks without news, since the last view that arrived: losses and positions
};

}  // namespace eventspace
