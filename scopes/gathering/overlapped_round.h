#pragma once

// Private to scopes/.

#include <cstddef>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "scopes/gathering/crew.h"
#include "scopes/gathering/ready_list.h"
#include "scopes/gathering/round.h"

namespace eventspace {

/// Requests first, then replies: all branches are begun at once. Each is asked once after that, and then when
/// there is news of it: a pull asks O(n) times, whatever the order in which n branches answer. Who asks this
/// stage without a waker has all that are open asked each time.
///
/// Of branches that are elsewhere one at a time is waited for, the last one first: when it has answered, most
/// of the others have too, and asking those costs less than being woken by each. This is for a short time;
/// who takes longer keeps nobody else from being looked after.
///
/// Brings the pull's deadline forward to that of the branch that is waited for longest. With a crew, its
/// threads finish those branches side by side that are local, before the others are waited for.
class OverlappedRound final : public Round {
 public:
  /// `branches` and `list` outlive it. `crew` may be null.
  OverlappedRound(Branches& branches, ReadyList& list, std::unique_ptr<Crew> crew);

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  using TimePoint = Deadline::Clock::time_point;
  /// What was last seen of a branch.
  struct Seen {
    bool open{false};   ///< begun, and not known to be ready
    bool asked{false};  ///< whether it is, since then
    bool ends{false};   ///< its end is in the heap
    Deadline end{Deadline::never()};
    Deadline look{Deadline::never()};
  };
  /// In a heap, the latest end first. One that is not its branch's any more is dropped when it comes up.
  struct End {
    Deadline at;
    std::size_t place;
    friend bool operator<(const End& a, const End& b) noexcept { return a.at.time() < b.at.time(); }
  };

  void ask(Branch& branch);
  void ask_noted();
  void ask_all();
  void ask_due();
  void ask_quiet();
  void look(const Branch& branch);
  void close(std::size_t place);
  Deadline latest_end();
  void tell_times(Operation& operation);

  Branches* branches_;
  ReadyList* list_;
  std::unique_ptr<Crew> crew_;
  std::vector<Seen> seen_;  // by place
  std::size_t open_{0};
  std::vector<End> ends_;
  std::set<std::pair<TimePoint, std::size_t>> looks_;  // of open branches that act by the clock
  std::vector<Branch*> quiet_;                         // elsewhere, and not asked yet in this pull
  std::size_t waited_for_{0};                          // open branches that were asked
  Deadline quiet_until_{Deadline::never()};
  std::vector<ReadyList::Entry*> taken_;
  std::vector<Branch*> local_;
};

}  // namespace eventspace
