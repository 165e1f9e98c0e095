#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "scopes/gathering/crew.h"
#include "scopes/gathering/ready_list.h"
#include "scopes/gathering/round.h"

namespace eventspace {

/// Sends all requests first and then waits for the replies. After begin each branch is tested once, and again
/// only when its waker was called or its look_again time has come. So a pull makes O(n) tests in whatever
/// order n branches answer. If the operation does not have a waker, each call of ready tests all open
/// branches.
///
/// Waits for branches on servers one at a time, beginning with the last: when it has answered, most of the
/// others have too, and testing those costs less than a wake-up for each. After 5 ms it waits for all of
/// them, so that a slow branch does not delay the handling of the others.
///
/// Brings the pull's deadline forward to the latest deadline of an open branch. If there is a crew, its
/// threads finish the local branches at the same time, before the other branches are finished. Not
/// thread-safe.
class OverlappedRound final : public Round {
 public:
  /// `branches` and `list` must outlive this object. `crew` may be null.
  OverlappedRound(Branches& branches, ReadyList& list, std::unique_ptr<Crew> crew);

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  using TimePoint = Deadline::Clock::time_point;
  /// The state of a branch when it was last tested.
  struct Seen {
    bool open{false};   ///< begun, not known to be ready
    bool asked{false};  ///< tested since it was begun
    bool ends{false};   ///< `end` is in the heap
    Deadline end{Deadline::never()};
    Deadline look{Deadline::never()};
  };
  /// The deadline of a branch, in a heap with the latest first. An entry that is out of date is dropped when
  /// it reaches the top.
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
  void notify_times(Operation& operation);

  Branches* branches_;
  ReadyList* list_;
  std::unique_ptr<Crew> crew_;
  std::vector<Seen> seen_;  // by place
  std::size_t open_{0};
  std::vector<End> ends_;
  std::set<std::pair<TimePoint, std::size_t>> looks_;  // when open branches are tested again
  std::vector<Branch*> quiet_;                         // on servers, and not tested yet in this pull
  std::size_t waited_for_{0};                          // open branches that were tested
  Deadline quiet_until_{Deadline::never()};
  std::vector<ReadyList::Entry*> taken_;
  std::vector<Branch*> local_;
};

}  // namespace eventspace
